import type { Channel, Member, Message, Stamped } from '@stoa/protocol';
import {
  type Caller,
  channelPath,
  codeOf,
  createChannel,
  DAEMON_ENGINES,
  headOf,
  startWithPeople,
  type TestDirectory,
} from '@stoa/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

describe.each(DAEMON_ENGINES)('members on $name', (engine) => {
  let directory: TestDirectory;
  let owner: Caller;
  let ada: Caller;
  let bea: Caller;

  beforeAll(async () => {
    ({ directory, owner, ada, bea } = await startWithPeople(engine));
  });
  afterAll(() => directory.discard());

  it('nobody takes the id of somebody else for a name in a channel', async () => {
    await createChannel(owner, 'borrowed');
    const members = channelPath('borrowed', '/members');
    const taken = await ada.post(members, { memberId: 'bea' });
    expect([taken.status, codeOf(taken.json)]).toEqual([400, 'invalid_request']);
    const given = await owner.post(members, { actorId: 'human:ada', memberId: 'bea' });
    expect([given.status, codeOf(given.json)]).toEqual([400, 'invalid_request']);
    const own = { actorId: 'human:bea', memberId: 'bea' };
    expect((await owner.post(members, own)).json).toMatchObject(own);
    expect((await ada.post(members, { memberId: 'countess' })).json).toMatchObject({
      memberId: 'countess',
      actorId: 'human:ada',
    });
  });

  it('joining twice changes and does not join again; the first moment is kept', async () => {
    await createChannel(owner, 'joined');
    const first = await ada.post<Member>(channelPath('joined', '/members'), {
      displayName: 'Ada',
      metadata: { a: 1 },
    });
    expect(first.json).toMatchObject({
      memberId: 'ada',
      actorId: 'human:ada',
      memberKind: 'human_actor',
    });
    const second = await ada.post<Member>(channelPath('joined', '/members'), { role: 'host' });
    expect(second.json).toEqual({ ...first.json, role: 'host' });
    const third = await ada.post<Member>(channelPath('joined', '/members'), {
      displayName: 'Countess',
      metadata: {},
    });
    expect(third.json).toEqual({ ...second.json, displayName: 'Countess', metadata: {} });
    expect((await owner.get<Channel>(channelPath('joined'))).json.memberCount).toBe(2);

    await ada.post(channelPath('joined', '/messages'), { text: 'as Countess' });
    await ada.post(channelPath('joined', '/members'), { displayName: 'Ada again' });
    const { messages } = (
      await owner.get<{ messages: Message[] }>(channelPath('joined', '/messages'))
    ).json;
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
    await createChannel(owner, 'names');
    expect(
      (await ada.post<Member>(channelPath('names', '/members'), { memberId: 'A:1' })).json.memberId,
    ).toBe('A:1');
    for (const [who, body] of [
      [ada, { memberId: 'other' }],
      [bea, { memberId: 'A:1' }],
    ] as const) {
      const { status, json } = await who.post(channelPath('names', '/members'), body);
      expect([status, codeOf(json)]).toEqual([400, 'invalid_request']);
    }
    const nobody = await owner.post(channelPath('names', '/members'), { actorId: 'human:nobody' });
    expect([nobody.status, codeOf(nobody.json)]).toEqual([400, 'unknown_member']);
    expect((await owner.get<Channel>(channelPath('names'))).json.memberCount).toBe(2);
  });

  it('one leaves by oneself, and is removed by the creator or the owner', async () => {
    await createChannel(ada, 'leaving');
    await bea.post(channelPath('leaving', '/members'), {});
    await owner.post(channelPath('leaving', '/members'), {});
    expect((await bea.delete(channelPath('leaving', '/members/ada'))).status).toBe(403);
    expect((await bea.delete(channelPath('leaving', '/members/bea'))).status).toBe(204);
    const again = await bea.delete(channelPath('leaving', '/members/bea'));
    expect([again.status, codeOf(again.json)]).toEqual([404, 'member_not_found']);
    expect((await ada.delete(channelPath('leaving', '/members/owner'))).status).toBe(204);
    const gone = await owner.post(channelPath('leaving', '/messages'), { text: 'still here?' });
    expect([gone.status, codeOf(gone.json)]).toEqual([403, 'not_member']);
  });

  it('C-14 those who are not members read, and do not speak, react or pin', async () => {
    await createChannel(ada, 'members-only');
    const message = await ada.post<Message>(channelPath('members-only', '/messages'), {
      text: 'hello',
    });
    const asset = await bea.post<{ assetId: string }>('/v1/assets', undefined, { raw: 'of bea' });
    const head = await headOf(owner, 'members-only');
    const inMessage = channelPath('members-only', `/messages/${message.json.messageId}`);
    for (const attempt of [
      () => bea.post(channelPath('members-only', '/messages'), { text: 'me too' }),
      () => bea.post(`${inMessage}/reactions`, { emoji: '👍' }),
      () => bea.delete(`${inMessage}/reactions`, { emoji: '👍' }),
      () => bea.put(channelPath('members-only', `/pins/${asset.json.assetId}`)),
      () => owner.post(channelPath('members-only', '/messages'), { text: 'not even the owner' }),
    ]) {
      const { status, json } = await attempt();
      expect([status, codeOf(json)]).toEqual([403, 'not_member']);
    }
    expect(await headOf(owner, 'members-only')).toBe(head);
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
