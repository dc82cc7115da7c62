import { type Channel, LIMITS, type Message } from '@stoa/protocol';
import {
  type Caller,
  DAEMON_ENGINES,
  listMessages,
  logOf,
  newChannel,
  postMessage,
  refusalOf,
  startWithPeople,
  type TestDirectory,
  textsOf,
} from '@stoa/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

describe.each(DAEMON_ENGINES)('changes to messages on $name', (engine) => {
  let directory: TestDirectory;
  let owner: Caller;
  let ada: Caller;
  let bea: Caller;

  beforeAll(async () => {
    ({ directory, owner, ada, bea } = await startWithPeople(engine));
  });
  afterAll(() => directory.discard());

  it('C-30 the author edits; the log keeps the earlier text', async () => {
    const messages = await newChannel('edits', ada, bea, owner);
    const posted = await postMessage(ada, messages, { text: 'first', metadata: { kept: true } });
    const path = `${messages}/${posted.messageId}`;
    for (const who of [bea, owner]) {
      expect(refusalOf(await who.patch(path, { text: 'forged' }))).toEqual([403, 'not_author']);
    }
    const edited = await ada.patch<Message>(path, { text: 'second' });
    expect(edited.json).toEqual({
      ...posted,
      inputItems: [{ type: 'text', text: 'second' }],
      editedAt: edited.json.editedAt,
    });
    expect(edited.json.editedAt).toBeGreaterThanOrEqual(posted.createdAt);
    await ada.patch(path, { text: 'third' });
    expect(textsOf((await listMessages(owner, messages)).messages)).toEqual(['third']);
    expect((await owner.get<Channel>('/v1/channels/edits')).json).toMatchObject({
      messageCount: 1,
      lastMessagePreview: 'third',
    });
    const history = (await logOf(owner, 'edits'))
      .slice(4)
      .map(({ type, data }) => [type, JSON.stringify(data).includes('first')]);
    expect(history).toEqual([
      ['message_posted', true],
      ['message_edited', false],
      ['message_edited', false],
    ]);
  });

  it('C-30 the author or the owner deletes; a tombstone stays, the log keeps the text', async () => {
    const messages = await newChannel('tombs', ada, bea, owner);
    const root = await postMessage(ada, messages, {
      text: 'regretted',
      metadata: { secret: true },
    });
    const reply = await postMessage(bea, messages, {
      text: 'a reply',
      replyToMessageId: root.messageId,
    });
    await bea.post(`${messages}/${root.messageId}/reactions`, { emoji: '👀' });
    const path = `${messages}/${root.messageId}`;
    expect(refusalOf(await bea.delete(path))).toEqual([403, 'not_author']);
    const tomb = await ada.delete<Message>(path);
    expect(tomb.status).toBe(200);
    expect(tomb.json).toMatchObject({
      seq: root.seq,
      author: root.author,
      inputItems: [],
      reactions: [],
      metadata: {},
      replyCount: 1,
    });
    expect(tomb.json.deletedAt).toBeTypeOf('number');
    expect(
      (await listMessages(owner, messages)).messages.map(({ messageId }) => messageId),
    ).toEqual([root.messageId, reply.messageId]);

    const head = (await logOf(owner, 'tombs')).length;
    expect((await ada.delete<Message>(path)).json).toEqual(tomb.json);
    expect(await logOf(owner, 'tombs')).toHaveLength(head);
    expect(JSON.stringify(await logOf(owner, 'tombs'))).toContain('regretted');
    expect(refusalOf(await ada.patch(path, { text: 'back' }))).toEqual([409, 'message_deleted']);
    expect(refusalOf(await ada.post(`${path}/reactions`, { emoji: '👍' }))).toEqual([
      409,
      'message_deleted',
    ]);
    await postMessage(bea, messages, {
      text: 'the thread goes on',
      replyToMessageId: root.messageId,
    });
    expect((await owner.delete(`${messages}/${reply.messageId}`)).status).toBe(200);
    expect((await owner.get<Channel>('/v1/channels/tombs')).json.messageCount).toBe(3);
  });

  it('C-13 a reaction is there or it is not: twice is once, and taking back nothing is nothing', async () => {
    const messages = await newChannel('reactions', ada, bea, owner);
    const { messageId } = await postMessage(ada, messages, { text: 'react to me' });
    const path = `${messages}/${messageId}/reactions`;
    const head = (await logOf(owner, 'reactions')).length;
    const react = async (by: Caller, emoji: string) =>
      (await by.post<Message>(path, { emoji })).json.reactions;
    const take = async (by: Caller, emoji: string) =>
      (await by.delete<Message>(path, { emoji })).json.reactions;

    expect(await take(bea, '👍')).toEqual([]);
    await react(bea, '👍');
    expect(await react(bea, '👍')).toEqual([{ emoji: '👍', actorIds: ['human:bea'], count: 1 }]);
    await react(ada, '🎉');
    expect(await react(ada, '👍')).toEqual([
      { emoji: '👍', actorIds: ['human:bea', 'human:ada'], count: 2 },
      { emoji: '🎉', actorIds: ['human:ada'], count: 1 },
    ]);
    await take(bea, '👍');
    expect(await take(bea, '👍')).toEqual([
      { emoji: '🎉', actorIds: ['human:ada'], count: 1 },
      { emoji: '👍', actorIds: ['human:ada'], count: 1 },
    ]);
    expect((await logOf(owner, 'reactions')).slice(head).map(({ type }) => type)).toEqual([
      'reaction_set',
      'reaction_set',
      'reaction_set',
      'reaction_unset',
    ]);
    for (const emoji of ['', 'two words', 'x'.repeat(LIMITS.emojiChars + 1)]) {
      expect(refusalOf(await ada.post(path, { emoji }))).toEqual([400, 'invalid_request']);
    }
  });

  it('the same reaction by many at once counts each of them once', async () => {
    const messages = await newChannel('reactions-raced', ada, bea, owner);
    const { messageId } = await postMessage(ada, messages, { text: 'go' });
    const people = [ada, bea, owner];
    await Promise.all(
      Array.from({ length: 15 }, (_, i) =>
        (people[i % 3] as Caller).post(`${messages}/${messageId}/reactions`, { emoji: '👍' }),
      ),
    );
    const { json } = await owner.get<Message>(`${messages}/${messageId}`);
    expect(json.reactions).toHaveLength(1);
    expect(json.reactions[0]).toMatchObject({ emoji: '👍', count: 3 });
    expect(
      (await logOf(owner, 'reactions-raced')).filter(({ type }) => type === 'reaction_set'),
    ).toHaveLength(3);
  });

  it('leave every projection equal to a replay of its log', async () => {
    expect((await owner.post('/v1/checks')).json).toMatchObject({ ok: true, problems: [] });
  });
});
