import type { Channel, Message } from '@stoa/protocol';
import {
  type Caller,
  callerOf,
  DAEMON_ENGINES,
  newPerson,
  type TestDaemon,
  type TestDirectory,
} from '@stoa/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

describe.each(DAEMON_ENGINES)('who speaks, on $name', (engine) => {
  let directory: TestDirectory;
  let daemon: TestDaemon;
  let owner: Caller;
  let ada: Caller;
  let message: Message;

  beforeAll(async () => {
    directory = await engine.newDirectory();
    daemon = await directory.start();
    owner = callerOf(daemon.url, daemon.token);
    ada = await newPerson(daemon, 'ada');
    await owner.post('/v1/channels', { channelId: 'lobby', title: 'Lobby' });
    await ada.post('/v1/channels/lobby/members', {});
    message = (await owner.post<Message>('/v1/channels/lobby/messages', { text: 'hello' })).json;
  });
  afterAll(async () => {
    await directory.discard();
  });

  const head = async () => (await owner.get<Channel>('/v1/channels/lobby')).json.headSeq;
  const messages = '/v1/channels/lobby/messages';
  const reactions = () => `${messages}/${message.messageId}/reactions`;

  it.each(['human:owner', 'human:nobody', 'session:ada', 'adapter:ada', 'system'])(
    'F-23 a message whose sender is %s, and not the caller, gets 403 and is not stored',
    async (id) => {
      const before = await head();
      const { status, json } = await ada.post(messages, { text: 'not mine', sender: { id } });
      expect(status).toBe(403);
      expect(json).toMatchObject({ code: 'identity_mismatch' });
      expect(await head()).toBe(before);
    },
  );

  it.each([
    { actor_id: 'human:owner' },
    { actorId: 'human:owner' },
    { actorId: 'owner' },
    { sender: 'human:owner' },
    { sender: { id: 'nobody at all' } },
    { sender: 'human:ada', actor_id: 'human:owner' },
  ])('F-23 %j gets 403 wherever ada sends it, and nothing is stored', async (claim) => {
    const mine = (await ada.post<Message>(messages, { text: 'mine' })).json;
    const own = `${messages}/${mine.messageId}`;
    const before = await head();
    for (const attempt of [
      () => ada.post(messages, { text: 'sly', ...claim }),
      () => ada.patch(own, { text: 'sly', ...claim }),
      () => ada.post(`${own}/reactions`, { emoji: '🎉', ...claim }),
      () => ada.delete(`${own}/reactions`, { emoji: '🎉', ...claim }),
    ]) {
      const { status, json } = await attempt();
      expect(status).toBe(403);
      expect(json).toMatchObject({ code: 'identity_mismatch' });
    }
    expect(await head()).toBe(before);
  });

  it.each([{ sender: 'human:ada' }, { actorId: 'human:ada' }, { actor_id: 'human:ada' }])(
    'F-23 ada may say %j, who she is anyway',
    async (claim) => {
      const posted = await ada.post<Message>(messages, { text: 'mine', ...claim });
      expect(posted.status).toBe(201);
      const own = `${messages}/${posted.json.messageId}`;
      expect((await ada.patch(own, { text: 'still mine', ...claim })).status).toBe(200);
      expect((await ada.post(`${own}/reactions`, { emoji: '🎉', ...claim })).status).toBe(200);
    },
  );

  it('F-23 being the owner is no licence to speak for others', async () => {
    const before = await head();
    const { status, json } = await owner.post(messages, {
      text: 'as ada',
      sender: { id: 'human:ada' },
    });
    expect(status).toBe(403);
    expect(json).toMatchObject({ code: 'identity_mismatch' });
    expect(await head()).toBe(before);
  });

  it('F-23 a reaction in the name of somebody else gets 403, when it is set and when it is taken back', async () => {
    await owner.post(reactions(), { emoji: '👍' });
    const before = await head();
    for (const attempt of [
      () => ada.post(reactions(), { emoji: '🎉', actorId: 'human:owner' }),
      () => ada.delete(reactions(), { emoji: '👍', actorId: 'human:owner' }),
    ]) {
      const { status, json } = await attempt();
      expect(status).toBe(403);
      expect(json).toMatchObject({ code: 'identity_mismatch' });
    }
    expect(await head()).toBe(before);
    const now = await owner.get<Message>(`${messages}/${message.messageId}`);
    expect(now.json.reactions).toEqual([{ emoji: '👍', actorIds: ['human:owner'], count: 1 }]);
  });

  it.each([
    { author: { kind: 'human', id: 'human:owner', displayName: 'owner' } },
    { author: 'human:owner' },
    { senderId: 'human:owner' },
    { sender: { id: 'human:owner', displayName: 'owner' } },
    { sender: {} },
    { createdAt: 1 },
    { messageId: `msg_${'0'.repeat(26)}` },
    { seq: 1 },
  ])(
    'F-23 a message that says who or when in a field that does not exist (%j) gets 400 and is not stored',
    async (field) => {
      const before = await head();
      const { status, json } = await ada.post(messages, { text: 'sly', ...field });
      expect(status).toBe(400);
      expect(json).toMatchObject({ code: 'invalid_request' });
      expect(await head()).toBe(before);
    },
  );

  it('F-23 a body may repeat who the caller is', async () => {
    const posted = await ada.post<Message>(messages, { text: 'mine', sender: { id: 'human:ada' } });
    expect(posted.status).toBe(201);
    expect(posted.json.author).toEqual({ kind: 'human', id: 'human:ada', displayName: 'ada' });
    const reacted = await ada.post<Message>(reactions(), { emoji: '🎉', actorId: 'human:ada' });
    expect(reacted.json.reactions).toContainEqual({
      emoji: '🎉',
      actorIds: ['human:ada'],
      count: 1,
    });
  });

  it('F-23 only the creator and the owner add others to a channel', async () => {
    await newPerson(daemon, 'bea');
    const before = await head();
    const { status, json } = await ada.post('/v1/channels/lobby/members', { actorId: 'human:bea' });
    expect(status).toBe(403);
    expect(json).toMatchObject({ code: 'forbidden' });
    expect(await head()).toBe(before);
    expect((await owner.post('/v1/channels/lobby/members', { actorId: 'human:bea' })).status).toBe(
      200,
    );
  });

  it('F-23 in the log, the actor of an event is who sent it', async () => {
    await ada.post(messages, { text: 'on the record' });
    const { json } = await owner.get<{ events: { actor: string; type: string }[] }>(
      '/v1/topics/channel:lobby/events?limit=200',
    );
    expect(json.events.at(-1)).toMatchObject({ type: 'message_posted', actor: 'human:ada' });
    expect(json.events[0]).toMatchObject({ type: 'channel_created', actor: 'human:owner' });
  });
});
