import { LIMITS, type Message, type Stamped } from '@stoa/protocol';
import {
  type Caller,
  DAEMON_ENGINES,
  listMessages,
  newChannel,
  postMessage,
  refusalOf,
  startWithPeople,
  type TestDirectory,
  textsOf,
} from '@stoa/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

describe.each(DAEMON_ENGINES)('messages on $name', (engine) => {
  let directory: TestDirectory;
  let owner: Caller;
  let ada: Caller;
  let bea: Caller;

  beforeAll(async () => {
    ({ directory, owner, ada, bea } = await startWithPeople(engine));
  });
  afterAll(() => directory.discard());

  it('a message is answered as it is read, and says who wrote it and when', async () => {
    const messages = await newChannel('plain', ada, bea, owner);
    const before = Date.now();
    const posted = await postMessage(ada, messages, {
      text: 'hello',
      addressedMemberIds: ['bea', 'bea'],
      metadata: { a: 1 },
    });
    expect(posted).toMatchObject({
      channelId: 'plain',
      seq: 5,
      author: { kind: 'human', id: 'human:ada', displayName: 'ada' },
      addressedMemberIds: ['bea'],
      inputItems: [{ type: 'text', text: 'hello' }],
      replyCount: 0,
      reactions: [],
      metadata: { a: 1 },
    });
    expect(posted.createdAt).toBeGreaterThanOrEqual(before);
    expect(posted.createdAt).toBeLessThanOrEqual(Date.now());
    expect((await owner.get(`${messages}/${posted.messageId}`)).json).toEqual(posted);
    expect((await listMessages(owner, messages)).messages).toEqual([posted]);
  });

  it('a message has text or items, and not both or neither', async () => {
    const messages = await newChannel('content', ada, bea, owner);
    const item = { type: 'text', text: 'x' };
    for (const body of [
      {},
      { text: 'x', inputItems: [item] },
      { text: ' \n\t' },
      { inputItems: [{ type: 'text', text: '  ' }] },
      { inputItems: [] },
      { inputItems: [{ type: 'text' }] },
      { inputItems: [{ type: 'video', text: 'x' }] },
      { inputItems: Array(LIMITS.inputItems + 1).fill(item) },
    ]) {
      expect(refusalOf(await ada.post(messages, body))).toEqual([400, 'invalid_request']);
    }
    expect((await listMessages(owner, messages)).messages).toEqual([]);
    await postMessage(ada, messages, { inputItems: Array(LIMITS.inputItems).fill(item) });
    await postMessage(ada, messages, { text: 'x'.repeat(LIMITS.textChars) });
  });

  it('an addressed person must be a member, and gets an event on their own topic', async () => {
    const messages = await newChannel('addressed', ada, bea, owner);
    expect(
      refusalOf(await ada.post(messages, { text: 'x', addressedMemberIds: ['bea', 'nobody'] })),
    ).toEqual([400, 'unknown_member']);
    expect((await listMessages(owner, messages)).messages).toEqual([]);
    const { messageId } = await postMessage(ada, messages, {
      text: 'bea?',
      addressedMemberIds: ['bea', 'ada'],
    });
    const mentions = async (who: Caller, humanId: string) =>
      (await who.get<{ events: Stamped[] }>(`/v1/topics/human:${humanId}/events`)).json.events
        .filter(({ type }) => type === 'mentioned')
        .map(({ data }) => data);
    expect(await mentions(bea, 'bea')).toContainEqual({ channelId: 'addressed', messageId });
    expect(await mentions(ada, 'ada')).not.toContainEqual({ channelId: 'addressed', messageId });
  });

  it('a reply joins the thread of what it answers', async () => {
    const messages = await newChannel('thread', ada, bea, owner);
    const root = await postMessage(ada, messages, { text: 'root' });
    const first = await postMessage(bea, messages, {
      text: 'one',
      replyToMessageId: root.messageId,
    });
    expect(first).toMatchObject({
      threadRootMessageId: root.messageId,
      replyToMessageId: root.messageId,
    });
    const second = await postMessage(ada, messages, {
      text: 'two',
      replyToMessageId: first.messageId,
    });
    expect(second).toMatchObject({
      threadRootMessageId: root.messageId,
      replyToMessageId: first.messageId,
    });
    const third = await postMessage(ada, messages, {
      text: 'three',
      threadRootMessageId: root.messageId,
    });
    expect(third.replyToMessageId).toBeUndefined();
    const both = {
      text: 'four',
      threadRootMessageId: root.messageId,
      replyToMessageId: second.messageId,
    };
    await postMessage(bea, messages, both);
    await postMessage(ada, messages, { text: 'another root' });

    expect(textsOf((await listMessages(owner, messages, 'scope=feed')).messages)).toEqual([
      'root',
      'another root',
    ]);
    const thread = (await listMessages(owner, messages, `threadRootMessageId=${root.messageId}`))
      .messages;
    expect(textsOf(thread)).toEqual(['one', 'two', 'three', 'four']);
    const now = await owner.get<Message>(`${messages}/${root.messageId}`);
    expect(now.json).toMatchObject({ replyCount: 4, lastReplyAt: thread.at(-1)?.createdAt });
  });

  it('C-27 a reply whose thread and whose answer do not belong together is refused', async () => {
    const messages = await newChannel('mismatch', ada, bea, owner);
    const elsewhere = await newChannel('mismatch-2', ada, bea, owner);
    const a = await postMessage(ada, messages, { text: 'thread A' });
    const b = await postMessage(ada, messages, { text: 'thread B' });
    const inA = await postMessage(ada, messages, { text: 'in A', replyToMessageId: a.messageId });
    const other = await postMessage(ada, elsewhere, { text: 'in another channel' });
    for (const position of [
      { replyToMessageId: inA.messageId, threadRootMessageId: b.messageId },
      { replyToMessageId: a.messageId, threadRootMessageId: b.messageId },
      { replyToMessageId: inA.messageId, threadRootMessageId: inA.messageId },
      { threadRootMessageId: inA.messageId },
    ]) {
      expect(refusalOf(await bea.post(messages, { text: 'x', ...position }))).toEqual([
        400,
        'thread_mismatch',
      ]);
    }
    for (const position of [
      { replyToMessageId: other.messageId },
      { threadRootMessageId: `msg_${'0'.repeat(26)}` },
    ]) {
      expect(refusalOf(await bea.post(messages, { text: 'x', ...position }))).toEqual([
        404,
        'message_not_found',
      ]);
    }
    expect((await listMessages(owner, messages)).messages).toHaveLength(3);
    expect((await owner.get<Message>(`${messages}/${b.messageId}`)).json.replyCount).toBe(0);
  });

  it('pages neither skip nor repeat while others post, in both directions', async () => {
    const messages = await newChannel('pages', ada, bea, owner);
    const seed = Array.from({ length: 120 }, (_, i) => i);
    for (let i = 0; i < seed.length; i += 12) {
      await Promise.all(
        seed.slice(i, i + 12).map((n) => postMessage(ada, messages, { text: `seed ${String(n)}` })),
      );
    }
    const all = (await listMessages(owner, messages, 'limit=200')).messages.map(({ seq }) => seq);
    expect(all).toHaveLength(120);

    const others = { posting: true };
    const posting = (async () => {
      let posted = 0;
      for (; others.posting; posted++) await postMessage(bea, messages, { text: 'meanwhile' });
      return posted;
    })();
    const back: number[] = [];
    for (let before: number | undefined = (all.at(-1) as number) + 1; before !== undefined; ) {
      const page = await listMessages(owner, messages, `before=${String(before)}&limit=7`);
      back.unshift(...page.messages.map(({ seq }) => seq));
      before = page.hasMore ? page.messages[0]?.seq : undefined;
    }
    expect(back).toEqual(all);
    others.posting = false;
    const posted = await posting;
    expect(posted).toBeGreaterThan(0);

    const forward: number[] = [];
    for (let after: number | undefined = 0; after !== undefined; ) {
      const page = await listMessages(
        owner,
        messages,
        `after=${String(after)}&limit=50&scope=feed`,
      );
      forward.push(...page.messages.map(({ seq }) => seq));
      after = page.hasMore ? page.messages.at(-1)?.seq : undefined;
    }
    expect(forward).toHaveLength(120 + posted);
    expect(forward).toEqual([...new Set(forward)].sort((a, b) => a - b));
    for (const positions of [
      'before=5&after=1',
      'before=5&postedSince=1',
      'after=1&postedSince=1',
    ]) {
      const refused = await owner.get(`${messages}?${positions}`);
      expect(refusalOf(refused), positions).toEqual([400, 'invalid_request']);
    }
    expect((await listMessages(owner, messages, 'limit=3')).messages.map(({ seq }) => seq)).toEqual(
      forward.slice(-3),
    );
  });

  it('leave every projection equal to a replay of its log', async () => {
    expect((await owner.post('/v1/checks')).json).toMatchObject({ ok: true, problems: [] });
  });
});
