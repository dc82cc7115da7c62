import { Agent } from 'node:http';
import type { Channel, Message, Stamped } from '@stoa/protocol';
import {
  type Caller,
  callerOf,
  DAEMON_ENGINES,
  type TestDaemon,
  type TestDirectory,
} from '@stoa/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const POSTERS = 64;
const POSTS_EACH = 12;
const CHANNELS = 3;

describe.each(DAEMON_ENGINES)('posting on $name', (engine) => {
  let directory: TestDirectory;
  let daemon: TestDaemon;
  let owner: Caller;

  beforeAll(async () => {
    directory = await engine.newDirectory();
    daemon = await directory.start();
    owner = callerOf(daemon.url, daemon.token);
  });
  afterAll(async () => {
    await directory.discard();
  });

  const newChannel = (channelId: string) =>
    owner.post('/v1/channels', { channelId, title: channelId });

  async function wholeLog(channelId: string): Promise<Stamped[]> {
    const events: Stamped[] = [];
    for (;;) {
      const page = await owner.get<{ events: Stamped[]; head: number }>(
        `/v1/topics/channel:${channelId}/events?after=${String(events.length)}&limit=200`,
      );
      events.push(...page.json.events);
      if (events.length >= page.json.head || page.json.events.length === 0) return events;
    }
  }

  it('F-10 64 concurrent posters get dense sequences, each in the order it was answered', async () => {
    const channels = Array.from({ length: CHANNELS }, (_, i) => `busy-${String(i)}`);
    for (const channelId of channels) await newChannel(channelId);

    const acknowledged = new Map<string, string[]>(channels.map((channelId) => [channelId, []]));
    await Promise.all(
      Array.from({ length: POSTERS }, async (_, poster) => {
        const agent = new Agent({ keepAlive: true, maxSockets: 1 });
        const caller = callerOf(daemon.url, daemon.token, agent);
        const channelId = channels[poster % CHANNELS] as string;
        let last = 0;
        for (let i = 0; i < POSTS_EACH; i++) {
          const { status, json } = await caller.post<Message>(
            `/v1/channels/${channelId}/messages`,
            {
              text: `${String(poster)}/${String(i)}`,
            },
          );
          expect(status).toBe(201);
          expect(json.seq).toBeGreaterThan(last);
          last = json.seq;
          acknowledged.get(channelId)?.push(`${String(json.seq)} ${String(poster)}/${String(i)}`);
        }
        agent.destroy();
      }),
    );

    for (const [channelId, answers] of acknowledged) {
      const log = await wholeLog(channelId);
      expect(log.map(({ seq }) => seq)).toEqual(log.map((_, i) => i + 1));
      const stored = log.flatMap((event) => {
        if (event.type !== 'message_posted') return [];
        const [item] = event.data.inputItems;
        return [`${String(event.seq)} ${item?.type === 'text' ? item.text : ''}`];
      });
      const bySeq = (a: string, b: string): number => Number.parseInt(a) - Number.parseInt(b);
      expect(stored).toEqual([...answers].sort(bySeq));
      const channel = await owner.get<Channel>(`/v1/channels/${channelId}`);
      expect(channel.json).toMatchObject({ headSeq: log.length, messageCount: answers.length });
    }
    expect([...acknowledged.values()].flat()).toHaveLength(POSTERS * POSTS_EACH);
  });

  describe('with an idempotency key', () => {
    const key = (name: string) => ({ headers: { 'idempotency-key': name } });
    const countOf = async (channelId: string) =>
      (await owner.get<Channel>(`/v1/channels/${channelId}`)).json.messageCount;

    it('F-12 the same request again gives the same answer and one record', async () => {
      await newChannel('again');
      const path = '/v1/channels/again/messages';
      const first = await owner.post<Message>(
        path,
        { text: 'once', metadata: { a: 1, b: 2 } },
        key('k1'),
      );
      // The same request, however its fields are ordered.
      const second = await owner.post<Message>(
        path,
        { metadata: { b: 2, a: 1 }, text: 'once' },
        key('k1'),
      );
      expect([first.status, second.status]).toEqual([201, 201]);
      expect(second.json).toEqual(first.json);
      expect(await countOf('again')).toBe(1);
    });

    it('F-12 another request with the same key is a conflict and stores nothing', async () => {
      await newChannel('conflict');
      await newChannel('conflict-too');
      const path = '/v1/channels/conflict/messages';
      await owner.post(path, { text: 'mine' }, key('k2'));
      const others: [string, unknown][] = [
        [path, { text: 'other' }],
        [path, { text: 'mine', metadata: { more: true } }],
        ['/v1/channels/conflict-too/messages', { text: 'mine' }],
        ['/v1/channels', { title: 'Something else' }],
      ];
      for (const [where, body] of others) {
        const { status, json } = await owner.post(where, body, key('k2'));
        expect(status).toBe(409);
        expect(json).toMatchObject({ code: 'idempotency_conflict' });
      }
      expect(await countOf('conflict')).toBe(1);
      expect(await countOf('conflict-too')).toBe(0);
    });

    it('F-12 sent 20 times at once is stored once, and all get the one answer', async () => {
      await newChannel('race');
      const answers = await Promise.all(
        Array.from({ length: 20 }, () =>
          owner.post<Message>('/v1/channels/race/messages', { text: 'once' }, key('k3')),
        ),
      );
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
      expect(new Set(answers.map(({ json }) => json.messageId)).size).toBe(1);
      expect(await countOf('race')).toBe(1);
    });

    it('F-12 belongs to who sent it: another person may use the same one', async () => {
      await newChannel('shared');
      const path = '/v1/channels/shared/messages';
      const minted = await owner.post<{ token: string }>('/v1/tokens', {
        humanId: 'kim',
        name: 'kim',
      });
      const kim = callerOf(daemon.url, minted.json.token);
      await kim.post('/v1/channels/shared/members', {});
      const mine = await owner.post<Message>(path, { text: 'hello' }, key('k4'));
      const theirs = await kim.post<Message>(path, { text: 'hello' }, key('k4'));
      expect(theirs.status).toBe(201);
      expect(theirs.json.messageId).not.toBe(mine.json.messageId);
    });

    it('F-12 makes a channel once, also where the daemon chooses its id', async () => {
      const first = await owner.post<Channel>('/v1/channels', { title: 'Unnamed' }, key('k5'));
      const second = await owner.post<Channel>('/v1/channels', { title: 'Unnamed' }, key('k5'));
      expect(first.status).toBe(201);
      expect(second.json).toEqual(first.json);
    });

    it('F-12 is still known after a restart', async () => {
      await newChannel('restart');
      const path = '/v1/channels/restart/messages';
      const first = await owner.post<Message>(path, { text: 'once' }, key('k6'));
      await daemon.stop();
      daemon = await directory.start();
      owner = callerOf(daemon.url, daemon.token);
      const second = await owner.post<Message>(path, { text: 'once' }, key('k6'));
      expect(second.json).toEqual(first.json);
      expect(await countOf('restart')).toBe(1);
    });

    it.each(['', 'x'.repeat(201), 'with space', 'umlaut-\u00e4'])(
      'is refused as %j',
      async (name) => {
        const { status, json } = await owner.post('/v1/channels', { title: 'Never' }, key(name));
        expect(status).toBe(400);
        expect(json).toMatchObject({ code: 'invalid_request' });
        const listed = await owner.get<{ channels: Channel[] }>('/v1/channels?query=never');
        expect(listed.json.channels).toEqual([]);
      },
    );
  });

  it('F-15 leaves every projection equal to a replay of its log', async () => {
    const { json } = await owner.post('/v1/checks');
    expect(json).toMatchObject({ ok: true, problems: [] });
  });
});
