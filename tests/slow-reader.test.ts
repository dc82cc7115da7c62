import { readFileSync } from 'node:fs';
import { Agent } from 'node:http';
import type { Status } from '@stoa/protocol';
import { type Caller, callerOf, EventStream, LiveSocket, startDaemon, type TestDaemon, until } from '@stoa/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/** In `npm test` fewer and larger ones: what piles up for a reader that stopped is the same. */
const SOAK = process.env['STOA_SOAK'] === '1';
const EVENTS = SOAK ? 100_000 : 4_000;
const TEXT = 'x'.repeat(SOAK ? 1_000 : 16_000);
const WARM_UP = SOAK ? 20_000 : 2_000;
const GROWTH_MB = 20;

describe('a reader that stops reading', () => {
  let daemon: TestDaemon;
  let owner: Caller;
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });

  beforeAll(async () => {
    daemon = await startDaemon({ env: { STOA_DURABILITY: 'relaxed' } });
    owner = callerOf(daemon.url, daemon.token, agent);
    await owner.post('/v1/channels', { channelId: 'flood', title: 'Flood' });
  });
  afterAll(async () => {
    agent.destroy();
    await daemon.cleanUp();
  });

  async function flood(count: number): Promise<void> {
    let left = count;
    const poster = async (): Promise<void> => {
      while (left-- > 0) {
        const { status } = await owner.post('/v1/channels/flood/messages', { text: TEXT });
        expect(status).toBe(201);
      }
    };
    await Promise.all(Array.from({ length: 16 }, poster));
  }

  const streams = async (): Promise<number> => (await owner.get<Status>('/v1/status')).json.streams;
  const head = async (): Promise<number> => (await owner.get<{ headSeq: number }>('/v1/channels/flood')).json.headSeq;

  function residentMb(): number {
    const status = readFileSync(`/proc/${String(daemon.pid)}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
  }

  /** The largest the daemon gets while something happens. */
  async function peakDuring(work: Promise<unknown>): Promise<number> {
    let peak = residentMb();
    let over = false;
    void work.finally(() => (over = true));
    await until('the work is done', () => {
      peak = Math.max(peak, residentMb());
      return over;
    }, { timeoutMs: 600_000 });
    await work;
    return peak;
  }

  const latencies = (socket: LiveSocket): number[] =>
    socket.frames.flatMap((frame, i) => (frame.type === 'event' ? [(socket.arrivals[i] as number) - frame.event.at] : []));
  const median = (values: number[]): number => values.sort((a, b) => a - b)[values.length >> 1] ?? 0;

  it('F-27 is told of the gap and cut off, costs the daemon less than 20 MB, and the others nothing', async () => {
    const reader = await LiveSocket.open(daemon.url, daemon);
    await reader.subscribe('channel:flood');
    const calm = await peakDuring(flood(WARM_UP));
    const first = await head();
    await until('the reader has all of it', () => reader.events().at(-1)?.seq === first);
    const before = median(latencies(reader));
    reader.frames.length = 0;
    reader.arrivals.length = 0;

    const stopped = await LiveSocket.open(daemon.url, daemon);
    await stopped.subscribe('channel:flood');
    stopped.pause();
    const watched = peakDuring(flood(EVENTS));
    await until('the daemon has cut it off', async () => (await streams()) === 1);
    stopped.resume();
    await stopped.ended();
    const peak = await watched;

    const got = stopped.events().map(({ seq }) => seq);
    expect(got).toEqual(Array.from({ length: got.length }, (_, i) => first + 1 + i));
    expect(got.length).toBeLessThan(EVENTS);
    const last = got.at(-1) as number;
    expect(stopped.frames.slice(-2)).toEqual([
      { type: 'gap', topic: 'channel:flood', after: last, oldest: last + 1, reason: 'slow_reader' },
      { type: 'closing', reason: 'slow_reader' },
    ]);

    expect(peak - calm).toBeLessThan(GROWTH_MB);

    const end = first + EVENTS;
    await until('the other reader has all of it', () => reader.events().at(-1)?.seq === end);
    expect(reader.events().map(({ seq }) => seq)).toEqual(Array.from({ length: EVENTS }, (_, i) => first + 1 + i));
    expect(reader.framesOf('gap')).toEqual([]);
    expect(median(latencies(reader))).toBeLessThan(before * 3 + 50);

    // What it missed is not lost: it comes back with its last sequence.
    const again = await LiveSocket.open(daemon.url, daemon);
    await again.subscribe('channel:flood', last);
    await until('the rest has come', () => again.events().at(-1)?.seq === end, { timeoutMs: 60_000 });
    expect(again.events()[0]?.seq).toBe(last + 1);
    expect(again.events()).toHaveLength(end - last);
    await again.close();
    await reader.close();
  });

  it('F-27 the same goes for an event stream', async () => {
    const first = await head();
    const calm = residentMb();
    const stopped = await EventStream.open(daemon.url, 'topic=channel:flood', daemon);
    await stopped.subscribed();
    stopped.pause();
    const watched = peakDuring(flood(EVENTS));
    await until('the daemon has cut it off', async () => (await streams()) === 0);
    stopped.resume();
    await stopped.ended();
    expect((await watched) - calm).toBeLessThan(GROWTH_MB);

    const last = first + stopped.events().length;
    expect(stopped.events().at(-1)?.seq).toBe(last);
    expect(last).toBeLessThan(first + EVENTS);
    expect(stopped.framesOf('gap')).toEqual([
      { type: 'gap', topic: 'channel:flood', after: last, oldest: last + 1, reason: 'slow_reader' },
    ]);
    expect(stopped.framesOf('closing')).toEqual([{ type: 'closing', reason: 'slow_reader' }]);
  });

  it('F-27 one that stops while it catches up costs no more: the log is read at its pace', async () => {
    const total = await head();
    const calm = residentMb();
    const stopped = await Promise.all(Array.from({ length: 3 }, () => LiveSocket.open(daemon.url, daemon)));
    for (const socket of stopped) {
      await socket.subscribe('channel:flood', 0);
      socket.pause();
    }
    // Others go on meanwhile, long enough for the whole log to be read if nobody held it back.
    expect((await peakDuring(flood(200))) - calm).toBeLessThan(GROWTH_MB);
    for (const socket of stopped) {
      socket.resume();
      await until('all of it has come', () => socket.events().at(-1)?.seq === total + 200, { timeoutMs: 60_000 });
      expect(socket.events()).toHaveLength(total + 200);
      await socket.close();
    }
  });
});
