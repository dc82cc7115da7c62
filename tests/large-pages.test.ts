import { type Channel, LIMITS, type Message, type SearchHit, type Stamped } from '@stoa/protocol';
import { type Caller, callerOf, DAEMON_ENGINES, type TestDirectory } from '@stoa/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const MESSAGES = 12;
/** Three bytes a character: a dozen such messages weigh more than a page may. */
const LONG = Array.from({ length: 4 }, () => ({
  type: 'text',
  text: `heavy ${'部'.repeat(LIMITS.textChars - 6)}`,
}));

describe.each(DAEMON_ENGINES)('pages of large messages on $name', (engine) => {
  let directory: TestDirectory;
  let owner: Caller;
  const posted: number[] = [];

  beforeAll(async () => {
    directory = await engine.newDirectory();
    const daemon = await directory.start();
    owner = callerOf(daemon.url, daemon.token);
    await owner.post('/v1/channels', { channelId: 'heavy', title: 'Heavy' });
    for (let i = 0; i < MESSAGES; i++) {
      const { status, json } = await post(LONG);
      expect(status).toBe(201);
      posted.push(json.seq);
    }
  });
  afterAll(() => directory.discard());

  const post = (inputItems: readonly object[]) =>
    owner.post<Message>('/v1/channels/heavy/messages', { inputItems });
  const fits = (text: string): void => {
    expect(Buffer.byteLength(text)).toBeLessThan(LIMITS.pageBytes + 64 * 1024);
  };

  it.each(['before', 'after'] as const)(
    'the messages come in as many pages as it takes, going %s',
    async (direction) => {
      const seen: number[] = [];
      let position = direction === 'after' ? 'after=0' : '';
      for (let pages = 1; ; pages++) {
        const { json, text } = await owner.get<{ messages: Message[]; hasMore: boolean }>(
          `/v1/channels/heavy/messages?limit=200&${position}`,
        );
        fits(text);
        const seqs = json.messages.map(({ seq }) => seq);
        if (direction === 'after') seen.push(...seqs);
        else seen.unshift(...seqs);
        const next = direction === 'after' ? seqs.at(-1) : seqs[0];
        position = `${direction}=${String(next)}`;
        if (json.hasMore) continue;
        expect(pages).toBe(2);
        break;
      }
      expect(seen).toEqual(posted);
    },
  );

  it('the events of the channel come in as many pages as it takes', async () => {
    const seen: number[] = [];
    for (let head = Infinity; (seen.at(-1) ?? 0) < head; ) {
      const { json, text } = await owner.get<{ events: Stamped[]; head: number }>(
        `/v1/topics/channel:heavy/events?limit=200&after=${String(seen.at(-1) ?? 0)}`,
      );
      fits(text);
      head = json.head;
      seen.push(...json.events.map(({ seq }) => seq));
    }
    expect(seen).toEqual(Array.from({ length: MESSAGES + 2 }, (_, i) => i + 1));
  });

  it('a search answers with the newest that fit', async () => {
    const { json } = await owner.get<{ hits: SearchHit[] }>('/v1/search?query=heavy&limit=200');
    expect(json.hits.length).toBeGreaterThan(0);
    expect(json.hits.map(({ seq }) => seq)).toEqual(
      [...posted].reverse().slice(0, json.hits.length),
    );
  });

  it('the list of channels goes on where the newest messages are too large for one page', async () => {
    for (let i = 0; i < MESSAGES; i++) {
      const channelId = `heavy-${String(i)}`;
      await owner.post('/v1/channels', { channelId, title: channelId });
      await owner.post(`/v1/channels/${channelId}/messages`, { inputItems: LONG });
    }
    const seen: string[] = [];
    const pages: number[] = [];
    let position = '';
    do {
      const { json } = await owner.get<{ channels: Channel[]; nextAfter?: string }>(
        `/v1/channels?limit=200${position}`,
      );
      seen.push(...json.channels.map(({ channelId }) => channelId));
      pages.push(json.channels.length);
      position = json.nextAfter === undefined ? '' : `&after=${json.nextAfter}`;
    } while (position !== '');
    expect(pages).toHaveLength(2);
    expect(new Set(seen).size).toBe(MESSAGES + 1);
  });

  it('a message takes so much text in all and no more', async () => {
    const { status, json } = await post([...LONG, { type: 'text', text: 'x' }]);
    expect(status).toBe(400);
    expect(json).toMatchObject({ code: 'invalid_request' });
  });
});
