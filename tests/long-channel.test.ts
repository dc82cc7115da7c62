import type { MessagePage } from '@stoa/protocol';
import {
  type Caller,
  callerOf,
  fillChannels,
  startDaemon,
  type TestDaemon,
  withDatabaseFile,
} from '@stoa/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const MESSAGES = 100_000;
const PAGE = 200;
const FEED = '/v1/channels/long/messages?scope=feed';

describe('a channel of 100,000 messages, over HTTP', () => {
  let daemon: TestDaemon;
  let owner: Caller;

  beforeAll(async () => {
    const before = await startDaemon({ checkAtEnd: false });
    const first = callerOf(before.url, before.token);
    expect((await first.post('/v1/channels', { channelId: 'long', title: 'Long' })).status).toBe(
      201,
    );
    await before.stop();
    withDatabaseFile(before.home, (db) => {
      fillChannels(db, MESSAGES);
    });
    daemon = await startDaemon({ home: before.home, checkAtEnd: false });
    owner = callerOf(daemon.url, daemon.token);
  });
  afterAll(() => daemon.cleanUp());

  const page = async (position: string): Promise<MessagePage> => {
    const answer = await owner.get<MessagePage>(`${FEED}&limit=${String(PAGE)}${position}`);
    expect(answer.status, answer.text).toBe(200);
    return answer.json;
  };
  const post = async (text: string): Promise<void> => {
    expect((await owner.post('/v1/channels/long/messages', { text })).status).toBe(201);
  };

  it('C-32 is paged from its newest message to its oldest while others post, with none missing or repeated', async () => {
    const seqs: number[] = [];
    let cursor = '';
    for (let pages = 0; ; pages++) {
      const { messages, hasMore } = await page(cursor);
      for (const { seq } of [...messages].reverse()) seqs.push(seq);
      cursor = `&before=${String(messages[0]?.seq)}`;
      if (pages % 50 === 0) await post('meanwhile');
      if (!hasMore) break;
    }
    expect(seqs).toHaveLength(MESSAGES);
    // The first event of the channel made it, the second let its creator in.
    expect(seqs.at(-1)).toBe(3);
    expect(seqs.every((seq, i) => i === 0 || seq === (seqs[i - 1] as number) - 1)).toBe(true);
  });

  it('C-32 is paged from its oldest message on until what was posted meanwhile has come too', async () => {
    const { messages: newest } = await page('');
    let [cursor, count] = [0, 0];
    for (let pages = 0; ; pages++) {
      const { messages, hasMore } = await page(`&after=${String(cursor)}`);
      expect(messages.every(({ seq }, i) => i === 0 || seq > (messages[i - 1]?.seq ?? 0))).toBe(
        true,
      );
      expect(messages[0]?.seq).toBeGreaterThan(cursor);
      count += messages.length;
      cursor = messages.at(-1)?.seq ?? cursor;
      if (pages < 5) await post('later');
      if (!hasMore) break;
    }
    expect(cursor).toBe((newest.at(-1)?.seq ?? 0) + 5);
    expect(count).toBe(cursor - 2);
  });

  it('C-32 is opened at a time, wherever that is', async () => {
    const [chosen] = (await page('&after=60000')).messages;
    const time = chosen?.createdAt ?? 0;
    const since = async (at: number) => (await page(`&postedSince=${String(at)}`)).messages;
    const [first] = await since(time);
    const [before] = (await page(`&before=${String(first?.seq)}`)).messages.slice(-1);
    expect(first?.createdAt).toBe(time);
    expect(before?.createdAt).toBeLessThan(time);
    expect((await since(0))[0]?.seq).toBe(3);
    expect((await since(time + 1))[0]?.createdAt).toBeGreaterThan(time);
    expect(await since(Date.now() + 86_400_000)).toEqual([]);
  });
});
