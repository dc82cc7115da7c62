import { readFileSync } from 'node:fs';
import { Agent } from 'node:http';
import type { Status } from '@stoa/protocol';
import {
  type Caller,
  callerOf,
  EventStream,
  LiveSocket,
  startDaemon,
  type TestDaemon,
  until,
} from '@stoa/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/** In `npm test` fewer and larger ones: about as much would pile up for a reader that stopped. */
const SOAK = process.env['STOA_SOAK'] === '1';
const EVENTS = SOAK ? 100_000 : 320;
/** Two bytes each on the wire. */
const TEXT = 'é'.repeat(SOAK ? 300 : 60_000);
/** Until the caches are as full as they get, so that what grows afterwards is what we look for. */
const WARM_UP = SOAK ? 130_000 : 400;
const GROWTH_MB = 20;
const PATIENT = { timeoutMs: SOAK ? 1_200_000 : 60_000 };
const LIMIT_MS = SOAK ? 3_600_000 : 120_000;

describe('a reader that stops reading', { timeout: LIMIT_MS }, () => {
  let daemon: TestDaemon;
  let owner: Caller;
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });

  beforeAll(async () => {
    // A heap that is kept tight: what the process holds then is what it needs, and not garbage.
    const NODE_OPTIONS = '--max-old-space-size=96 --max-semi-space-size=2';
    daemon = await startDaemon({
      env: { NODE_OPTIONS, STOA_DURABILITY: 'relaxed' },
      // It would replay hundreds of megabytes.
      checkAtEnd: false,
    });
    owner = callerOf(daemon.url, daemon.token, agent);
    await owner.post('/v1/channels', { channelId: 'flood', title: 'Flood' });
    await flood(WARM_UP);
  }, LIMIT_MS);
  afterAll(async () => {
    agent.destroy();
    await daemon.cleanUp();
  });

  async function flood(count: number, channelId = 'flood', text = TEXT): Promise<void> {
    let left = count;
    const poster = async (): Promise<void> => {
      while (left-- > 0) {
        const { status } = await owner.post(`/v1/channels/${channelId}/messages`, { text });
        expect(status).toBe(201);
      }
    };
    await Promise.all(Array.from({ length: 16 }, poster));
  }

  const streams = async (): Promise<number> => (await owner.get<Status>('/v1/status')).json.streams;
  const head = async (): Promise<number> =>
    (await owner.get<{ headSeq: number }>('/v1/channels/flood')).json.headSeq;

  function residentMb(): number {
    const status = readFileSync(`/proc/${String(daemon.pid)}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
  }

  /** The largest the daemon gets while something happens. */
  async function peakDuring(work: Promise<unknown>): Promise<number> {
    let peak = residentMb();
    let over = false;
    const watching = until(
      'the work is done',
      () => {
        peak = Math.max(peak, residentMb());
        return over;
      },
      PATIENT,
    );
    await work.finally(() => (over = true));
    await watching;
    return peak;
  }

  /** How late the slowest of a hundred events comes, in milliseconds. */
  const p99 = ({ frames, arrivals }: LiveSocket): number => {
    const latencies = frames.flatMap((frame, i) =>
      frame.type === 'event' ? [(arrivals[i] as number) - frame.event.at] : [],
    );
    return latencies.sort((a, b) => a - b)[Math.floor(latencies.length * 0.99)] as number;
  };
  const lastSeq = ({ frames }: LiveSocket): number | undefined => {
    const last = frames.at(-1);
    return last?.type === 'event' ? last.event.seq : undefined;
  };
  const forget = ({ frames, arrivals }: LiveSocket): void => {
    frames.length = 0;
    arrivals.length = 0;
  };
  const range = (from: number, count: number): number[] =>
    Array.from({ length: count }, (_, i) => from + i);

  it(`F-27 gets the gap and is disconnected while ${EVENTS.toLocaleString('en')} events arrive (in the soak 100,000), costs the daemon less than 20 MB, and the others nothing`, async () => {
    const reader = await LiveSocket.open(daemon.url, daemon);
    await reader.subscribe('channel:flood');
    /** The same without anybody who stops, for comparison; gives the peak and the p99. */
    const control = async (): Promise<[peakMb: number, p99: number]> => {
      const end = (await head()) + EVENTS / 2;
      forget(reader);
      const peak = await peakDuring(flood(EVENTS / 2));
      await until('the reader has all of it', () => lastSeq(reader) === end, PATIENT);
      return [peak, p99(reader)];
    };
    const [calm, before] = await control();
    const first = await head();
    forget(reader);

    const stopped = await LiveSocket.open(daemon.url, daemon);
    await stopped.subscribe('channel:flood');
    stopped.pause();
    const watched = peakDuring(flood(EVENTS));
    await until('the daemon has cut it off', async () => (await streams()) === 1, PATIENT);
    stopped.resume();
    await stopped.ended();
    expect((await watched) - calm).toBeLessThan(GROWTH_MB);

    const got = stopped.events().map(({ seq }) => seq);
    expect(got).toEqual(range(first + 1, got.length));
    expect(got.length).toBeLessThan(EVENTS);
    const last = first + got.length;
    expect(stopped.frames.slice(-2)).toEqual([
      { type: 'gap', topic: 'channel:flood', after: last, oldest: last + 1, reason: 'slow_reader' },
      { type: 'closing', reason: 'slow_reader' },
    ]);

    const end = first + EVENTS;
    await until('the other reader has all of it', () => lastSeq(reader) === end, PATIENT);
    expect(reader.events().map(({ seq }) => seq)).toEqual(range(first + 1, EVENTS));
    expect(reader.framesOf('gap')).toEqual([]);
    // Twice and a little, because what else runs on this machine moves it as well.
    const pressed = p99(reader);
    const [, after] = await control();
    expect(pressed).toBeLessThan(Math.max(before, after) * 2 + 20);

    // What it missed is not lost: it comes back with its last sequence.
    const again = await LiveSocket.open(daemon.url, daemon);
    await again.subscribe('channel:flood', last);
    const all = await head();
    await until('the rest has come', () => lastSeq(again) === all, PATIENT);
    expect(again.events().map(({ seq }) => seq)).toEqual(range(last + 1, all - last));
    await again.close();
    await reader.close();
  });

  it('F-27 is treated in the same way on an event stream', async () => {
    const first = await head();
    const calm = residentMb();
    const stopped = await EventStream.open(daemon.url, 'topic=channel:flood', daemon);
    await stopped.subscribed();
    stopped.pause();
    const watched = peakDuring(flood(EVENTS));
    await until('the daemon has cut it off', async () => (await streams()) === 0, PATIENT);
    stopped.resume();
    await stopped.ended();
    expect((await watched) - calm).toBeLessThan(GROWTH_MB);

    const got = stopped.events().map(({ seq }) => seq);
    expect(got).toEqual(range(first + 1, got.length));
    expect(got.length).toBeLessThan(EVENTS);
    const last = first + got.length;
    expect(stopped.framesOf('gap')).toEqual([
      { type: 'gap', topic: 'channel:flood', after: last, oldest: last + 1, reason: 'slow_reader' },
    ]);
    expect(stopped.framesOf('closing')).toEqual([{ type: 'closing', reason: 'slow_reader' }]);
  });

  it.each([
    { past: 'one long past', channels: 1, messages: 150 },
    { past: 'many short ones', channels: 60, messages: 3 },
  ])(
    'F-27 costs no more when it stops while it catches up with $past',
    async ({ channels, messages }) => {
      // As large as messages get: a page of them by number alone would be 40 MB on the wire.
      const text = '☃'.repeat(65_000);
      const ids = Array.from(
        { length: channels },
        (_, i) => `past-${String(channels)}-${String(i)}`,
      );
      for (const channelId of ids) {
        await owner.post('/v1/channels', { channelId, title: channelId });
        await flood(messages, channelId, text);
      }
      const calm = await peakDuring(flood(EVENTS / 5));
      const stopped = await LiveSocket.open(daemon.url, daemon);
      stopped.pause();
      for (const id of ids) stopped.say({ type: 'subscribe', topic: `channel:${id}`, after: 0 });
      // Meanwhile others go on, long enough for all of it to be read if nothing held it back.
      expect((await peakDuring(flood(EVENTS / 5))) - calm).toBeLessThan(GROWTH_MB);

      stopped.resume();
      const total = channels * (messages + 2);
      await until('all of it has come', () => stopped.framesOf('event').length === total, PATIENT);
      for (const id of ids) {
        const seqs = stopped.events(`channel:${id}`).map(({ seq }) => seq);
        expect(seqs).toEqual(range(1, messages + 2));
      }
      await stopped.close();
    },
  );

  const topic = `channel:${'x'.repeat(60)}`;
  it.each([
    {
      what: 'asks for answers',
      // Wide enough that fewer arrive at once than may wait.
      ask: (socket: LiveSocket) =>
        socket.sayRaw(`${' '.repeat(400)}{"type":"unsubscribe","topic":"${topic}"}`),
    },
    { what: 'pings', ask: (socket: LiveSocket) => socket.ping(Buffer.alloc(125)) },
  ])('F-27 is cut off as well when it $what and never reads what comes back', async ({ ask }) => {
    const socket = await LiveSocket.open(daemon.url, daemon);
    socket.pause();
    const calm = residentMb();
    let peak = calm;
    await until(
      'the daemon has cut it off',
      async () => {
        for (let i = 0; i < 100; i++) ask(socket);
        peak = Math.max(peak, residentMb());
        return (await streams()) === 0;
      },
      { timeoutMs: 60_000, everyMs: 0 },
    );
    expect(peak - calm).toBeLessThan(GROWTH_MB);
    socket.terminate();
  });
});
