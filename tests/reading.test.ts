import type { Message, ReadCursor, SearchHit, Stamped } from '@stoa/protocol';
import {
  type Caller,
  callerOf,
  DAEMON_ENGINES,
  LiveSocket,
  newPerson,
  type TestDaemon,
  type TestDirectory,
  until,
} from '@stoa/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

describe.each(DAEMON_ENGINES)('reading on $name', (engine) => {
  let directory: TestDirectory;
  let daemon: TestDaemon;
  let owner: Caller;
  let ada: Caller;

  beforeAll(async () => {
    directory = await engine.newDirectory();
    daemon = await directory.start();
    owner = callerOf(daemon.url, daemon.token);
    ada = await newPerson(daemon, 'ada');
  });
  afterAll(async () => {
    await directory.discard();
  });

  async function restart(kill = false): Promise<void> {
    await (kill ? daemon.kill() : daemon.stop());
    daemon = await directory.start();
    owner = callerOf(daemon.url, daemon.token);
    ada = callerOf(daemon.url, ada.token);
  }

  async function newChannel(channelId: string): Promise<void> {
    await owner.post('/v1/channels', { channelId, title: channelId });
    await ada.post(`/v1/channels/${channelId}/members`, {});
  }

  const post = async (by: Caller, channelId: string, body: object): Promise<Message> =>
    (await by.post<Message>(`/v1/channels/${channelId}/messages`, body)).json;

  describe('unread counts', () => {
    const cursor = async (by: Caller, channelId: string): Promise<ReadCursor> =>
      (await by.get<ReadCursor>(`/v1/channels/${channelId}/cursor`)).json;
    const read = (by: Caller, channelId: string, readSeq: number) =>
      by.put<ReadCursor>(`/v1/channels/${channelId}/cursor`, { readSeq });
    const unread = async (by: Caller, channelId: string): Promise<number | undefined> =>
      (await by.get<{ cursors: ReadCursor[] }>('/v1/unread')).json.cursors.find(
        (one) => one.channelId === channelId,
      )?.unreadCount;

    it('C-34 are right after posting, after reading and after a restart', async () => {
      await newChannel('counted');
      const sent: Message[] = [];
      for (let i = 0; i < 5; i++)
        sent.push(await post(owner, 'counted', { text: `for ada ${String(i)}` }));
      await post(ada, 'counted', { text: 'from ada herself' });
      expect(await cursor(ada, 'counted')).toEqual({
        channelId: 'counted',
        readSeq: 0,
        unreadCount: 5,
      });
      expect(await unread(owner, 'counted')).toBe(1);

      const moved = await read(ada, 'counted', sent[2]?.seq ?? 0);
      expect(moved.json).toEqual({ channelId: 'counted', readSeq: sent[2]?.seq, unreadCount: 2 });
      await restart();
      expect(await cursor(ada, 'counted')).toEqual(moved.json);
      expect(await unread(ada, 'counted')).toBe(2);

      await post(owner, 'counted', { text: 'one more' });
      await restart(true);
      expect(await unread(ada, 'counted')).toBe(3);
    });

    it('do not grow by edits, reactions or members, and not by what was deleted', async () => {
      await newChannel('quiet');
      const { messageId } = await post(owner, 'quiet', { text: 'kept' });
      const gone = await post(owner, 'quiet', { text: 'gone' });
      expect(await unread(ada, 'quiet')).toBe(2);
      await owner.patch(`/v1/channels/quiet/messages/${messageId}`, { text: 'edited' });
      await owner.post(`/v1/channels/quiet/messages/${messageId}/reactions`, { emoji: '👍' });
      await owner.patch('/v1/channels/quiet', { title: 'Quiet' });
      expect(await unread(ada, 'quiet')).toBe(2);
      await owner.delete(`/v1/channels/quiet/messages/${gone.messageId}`);
      expect(await unread(ada, 'quiet')).toBe(1);
    });

    it('come from a cursor that only moves forward, and never past the end', async () => {
      await newChannel('forward');
      const { seq } = await post(owner, 'forward', { text: 'the last' });
      expect((await read(ada, 'forward', 1_000_000)).json.readSeq).toBe(seq);
      expect((await read(ada, 'forward', 1)).json.readSeq).toBe(seq);
      await post(owner, 'forward', { text: 'new' });
      expect(await unread(ada, 'forward')).toBe(1);
    });

    it('reach the other devices of the same person, and nobody else', async () => {
      await newChannel('devices');
      const { seq } = await post(owner, 'devices', { text: 'read me' });
      const device = await LiveSocket.open(daemon.url, ada);
      await device.subscribe('human:ada');
      await read(ada, 'devices', seq);
      await read(ada, 'devices', seq);
      const third = await post(owner, 'devices', { text: 'and me' });
      await read(ada, 'devices', third.seq);
      await until('both moves have come', () => device.events().length >= 2);
      expect(device.events().map(({ type, data }) => [type, data])).toEqual([
        ['read_cursor_moved', { channelId: 'devices', readSeq: seq }],
        ['read_cursor_moved', { channelId: 'devices', readSeq: third.seq }],
      ]);
      const refused = await owner.get('/v1/topics/human:ada/events');
      expect(refused.status).toBe(403);
      expect(refused.json).toMatchObject({ code: 'forbidden' });
      await device.close();
    });

    it('are counted for the channels of the member', async () => {
      await owner.post('/v1/channels', { channelId: 'not-mine', title: 'Not mine' });
      await post(owner, 'not-mine', { text: 'x' });
      expect(await unread(ada, 'not-mine')).toBeUndefined();
      expect(await cursor(ada, 'not-mine')).toEqual({
        channelId: 'not-mine',
        readSeq: 0,
        unreadCount: 1,
      });
    });
  });

  describe('the search', () => {
    const search = async (query: string, more = ''): Promise<SearchHit[]> =>
      (
        await owner.get<{ hits: SearchHit[] }>(
          `/v1/search?query=${encodeURIComponent(query)}${more}`,
        )
      ).json.hits;
    const found = async (query: string, more = ''): Promise<string[]> =>
      (await search(query, more)).map(({ messageId }) => messageId);

    beforeAll(async () => {
      await newChannel('ops');
      await newChannel('kitchen');
    });

    it.each([
      ['kubectl', 'please run kubectl get pods'],
      ['部署', '我们今天部署新版本'],
    ])('C-33 finds %s at once, with its thread and its position', async (word, text) => {
      const root = await post(owner, 'ops', { text: 'an ordinary root' });
      const reply = await post(ada, 'ops', { text, replyToMessageId: root.messageId });
      const hits = await search(word);
      expect(hits).toHaveLength(1);
      expect(hits[0]).toEqual({
        channelId: 'ops',
        messageId: reply.messageId,
        seq: reply.seq,
        threadRootMessageId: root.messageId,
        message: reply,
      });
    });

    it.each(['KUBECTL', '部署新版', '  kubectl  pods '])(
      'finds what was meant by %j',
      async (query) => {
        expect(await search(query)).toHaveLength(1);
      },
    );

    it('needs every word, finds none that is not there, and the newest first', async () => {
      const first = await post(owner, 'kitchen', { text: 'basil and thyme' });
      const second = await post(owner, 'kitchen', { text: 'thyme, then basil again' });
      await post(owner, 'kitchen', { text: 'only thyme' });
      expect(await found('basil thyme')).toEqual([second.messageId, first.messageId]);
      expect(await found('basil saffron')).toEqual([]);
      expect(await found('basil', '&limit=1')).toEqual([second.messageId]);
    });

    it('stays inside a channel when asked to', async () => {
      const inOps = await post(owner, 'ops', { text: 'marjoram in ops' });
      const inKitchen = await post(owner, 'kitchen', { text: 'marjoram in the kitchen' });
      expect(await found('marjoram')).toEqual([inKitchen.messageId, inOps.messageId]);
      expect(await found('marjoram', '&channelId=ops')).toEqual([inOps.messageId]);
      const nowhere = await owner.get('/v1/search?query=marjoram&channelId=nowhere');
      expect(nowhere.json).toMatchObject({ code: 'channel_not_found' });
    });

    it('follows edits and deletions', async () => {
      const posted = await post(owner, 'kitchen', { text: 'tarragon' });
      expect(await found('tarragon')).toEqual([posted.messageId]);
      await owner.patch(`/v1/channels/kitchen/messages/${posted.messageId}`, { text: 'chervil' });
      expect(await found('tarragon')).toEqual([]);
      expect(await found('chervil')).toEqual([posted.messageId]);
      await owner.delete(`/v1/channels/kitchen/messages/${posted.messageId}`);
      expect(await found('chervil')).toEqual([]);
    });

    it('knows the same after a restart, clean or not', async () => {
      const before = await search('marjoram');
      expect(before).toHaveLength(2);
      await restart();
      expect(await search('marjoram')).toEqual(before);
      const late = await post(owner, 'ops', { text: 'lovage just before the end' });
      await restart(true);
      expect(await found('lovage')).toEqual([late.messageId]);
      expect(await search('部署')).toHaveLength(1);
    });
  });

  describe('a topic', () => {
    it('is read page by page, from any sequence, up to its head', async () => {
      await newChannel('paged');
      for (let i = 0; i < 12; i++) await post(owner, 'paged', { text: String(i) });
      const page = async (query: string) =>
        (
          await ada.get<{ events: Stamped[]; head: number; oldest: number }>(
            `/v1/topics/channel:paged/events?${query}`,
          )
        ).json;
      expect(await page('after=15')).toEqual({ events: [], head: 15, oldest: 1 });
      expect(await page('after=99')).toEqual({ events: [], head: 15, oldest: 1 });
      const seqs: number[] = [];
      for (;;) {
        const { events } = await page(`after=${String(seqs.at(-1) ?? 0)}&limit=4`);
        if (events.length === 0) break;
        seqs.push(...events.map(({ seq }) => seq));
      }
      expect(seqs).toEqual(Array.from({ length: 15 }, (_, i) => i + 1));
    });

    it('that does not exist is not found', async () => {
      const channel = await owner.get('/v1/topics/channel:nowhere/events');
      expect([channel.status, channel.json['code']]).toEqual([404, 'channel_not_found']);
      // Whether there is such a person is nobody's business.
      const human = await owner.get('/v1/topics/human:nobody/events');
      expect([human.status, human.json['code']]).toEqual([403, 'forbidden']);
    });
  });
});
