import type { Channel, Member, Message, Stamped } from '@stoa/protocol';
import {
  type Caller,
  callerOf,
  DAEMON_ENGINES,
  type DaemonPlace,
  newPerson,
  type TestDaemon,
} from '@stoa/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

describe.each(DAEMON_ENGINES)('members on $name', (engine) => {
  let place: DaemonPlace;
  let daemon: TestDaemon;
  let owner: Caller;
  let ada: Caller;
  let bea: Caller;

  beforeAll(async () => {
    place = await engine.newPlace();
    daemon = await place.start();
    owner = callerOf(daemon.url, daemon.token);
    ada = await newPerson(daemon, 'ada');
    bea = await newPerson(daemon, 'bea');
  });
  afterAll(async () => {
    await place.discard();
  });

  const path = (channelId: string, rest = ''): string => `/v1/channels/${channelId}${rest}`;
  const create = (by: Caller, channelId: string, more: object = {}) =>
    by.post<Channel>('/v1/channels', { channelId, title: channelId, ...more });
  const headOf = async (channelId: string) =>
    (await owner.get<Channel>(path(channelId))).json.headSeq;
  const code = (json: unknown) => (json as { code?: string }).code;

  it('joining twice changes and does not join again; the first moment is kept', async () => {
    await create(owner, 'joined');
    const first = await ada.post<Member>(path('joined', '/members'), {
      displayName: 'Ada',
      metadata: { a: 1 },
    });
    expect(first.json).toMatchObject({
      memberId: 'ada',
      actorId: 'human:ada',
      memberKind: 'human_actor',
    });
    const second = await ada.post<Member>(path('joined', '/members'), { role: 'host' });
    expect(second.json).toEqual({ ...first.json, role: 'host' });
    const third = await ada.post<Member>(path('joined', '/members'), {
      displayName: 'Countess',
      metadata: {},
    });
    expect(third.json).toEqual({ ...second.json, displayName: 'Countess', metadata: {} });
    expect((await owner.get<Channel>(path('joined'))).json.memberCount).toBe(2);

    await ada.post(path('joined', '/messages'), { text: 'as Countess' });
    await ada.post(path('joined', '/members'), { displayName: 'Ada again' });
    const { messages } = (await owner.get<{ messages: Message[] }>(path('joined', '/messages')))
      .json;
    expect(messages[0]?.author.displayName).toBe('Countess');
    const log = await owner.get<{ events: Stamped[] }>('/v1/topics/channel:joined/events');
    expect(log.json.events.map(({ type }) => type)).toEqual([
      'channel_created',
      'member_joined',
      'member_joined',
      'member_updated',
      'member_updated',
      'message_posted',
      'member_updated',
    ]);
  });

  it('a member id is chosen once, and taken once', async () => {
    await create(owner, 'names');
    expect(
      (await ada.post<Member>(path('names', '/members'), { memberId: 'A:1' })).json.memberId,
    ).toBe('A:1');
    for (const [who, body] of [
      [ada, { memberId: 'other' }],
      [bea, { memberId: 'A:1' }],
    ] as const) {
      const { status, json } = await who.post(path('names', '/members'), body);
      expect([status, code(json)]).toEqual([400, 'invalid_request']);
    }
    const nobody = await owner.post(path('names', '/members'), { actorId: 'human:nobody' });
    expect([nobody.status, code(nobody.json)]).toEqual([400, 'unknown_member']);
    expect((await owner.get<Channel>(path('names'))).json.memberCount).toBe(2);
  });

  it('one leaves by oneself, and is removed by the creator or the owner', async () => {
    await create(ada, 'leaving');
    await bea.post(path('leaving', '/members'), {});
    await owner.post(path('leaving', '/members'), {});
    expect((await bea.delete(path('leaving', '/members/ada'))).status).toBe(403);
    expect((await bea.delete(path('leaving', '/members/bea'))).status).toBe(204);
    const again = await bea.delete(path('leaving', '/members/bea'));
    expect([again.status, code(again.json)]).toEqual([404, 'member_not_found']);
    expect((await ada.delete(path('leaving', '/members/owner'))).status).toBe(204);
    const gone = await owner.post(path('leaving', '/messages'), { text: 'still here?' });
    expect([gone.status, code(gone.json)]).toEqual([403, 'not_member']);
  });

  it('those who are not members read, and do not speak, react or pin', async () => {
    await create(ada, 'members-only');
    const message = await ada.post<Message>(path('members-only', '/messages'), { text: 'hello' });
    const asset = await bea.post<{ assetId: string }>('/v1/assets', undefined, { raw: 'of bea' });
    const head = await headOf('members-only');
    const inMessage = path('members-only', `/messages/${message.json.messageId}`);
    for (const attempt of [
      () => bea.post(path('members-only', '/messages'), { text: 'me too' }),
      () => bea.post(`${inMessage}/reactions`, { emoji: '👍' }),
      () => bea.delete(`${inMessage}/reactions`, { emoji: '👍' }),
      () => bea.put(path('members-only', `/pins/${asset.json.assetId}`)),
      () => owner.post(path('members-only', '/messages'), { text: 'not even the owner' }),
    ]) {
      const { status, json } = await attempt();
      expect([status, code(json)]).toEqual([403, 'not_member']);
    }
    expect(await headOf('members-only')).toBe(head);
    expect((await bea.get(inMessage)).status).toBe(200);
  });

  it('people who are made at once are made once', async () => {
    const minted = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        owner.post('/v1/tokens', { humanId: 'twins', name: `token ${String(i)}` }),
      ),
    );
    expect(minted.map(({ status }) => status)).toEqual(Array(8).fill(201));
  });
});
