import { openSqliteStore, type Store } from '@stoa/store';
import { VirtualClock, VirtualTimers } from '@stoa/testkit';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  afterFailure,
  atOnce,
  DurableQueue,
  doubling,
  dueAt,
  hasExpired,
  type RetryPolicy,
} from './durable-queue.js';

const time = fc.integer({ min: 0, max: 4_000_000_000_000 });
const policies = fc.record<RetryPolicy>({
  maxAttempts: fc.integer({ min: 1, max: 20 }),
  backoff: fc.oneof(fc.constant(atOnce), fc.integer({ min: 1, max: 60_000 }).map(doubling)),
});

describe('the decision after a failed attempt', () => {
  it('an item is tried exactly as often as its policy allows, never in the past, at growing intervals', () => {
    fc.assert(
      fc.property(policies, time, (policy, start) => {
        let at = start;
        let lastWait = 0;
        let attempts = 0;
        for (;;) {
          attempts += 1;
          const next = afterFailure(policy, attempts, at);
          if (next === 'dead_letter') break;
          const wait = next.retryAt - at;
          expect(wait).toBeGreaterThanOrEqual(lastWait);
          at = next.retryAt;
          lastWait = wait;
        }
        expect(attempts).toBe(policy.maxAttempts);
      }),
    );
  });

  it('the interval doubles from the first', () => {
    const policy = { maxAttempts: 5, backoff: doubling(1_000) };
    const decisions = [1, 2, 3, 4, 5].map((attempts) => afterFailure(policy, attempts, 50));
    const retries = [1_050, 2_050, 4_050, 8_050].map((retryAt) => ({ retryAt }));
    expect(decisions).toEqual([...retries, 'dead_letter']);
  });

  it('an item is due when it is available or has expired, and not before', () => {
    const times = fc.record({
      availableAt: time,
      expiresAt: fc.oneof(time, fc.constantFrom(null, undefined)),
    });
    fc.assert(
      fc.property(times, time, (item, now) => {
        expect(dueAt(item) <= now).toBe(item.availableAt <= now || hasExpired(item, now));
      }),
    );
  });
});

describe('the loop of a queue', () => {
  const START = 1_000_000;
  let clock: VirtualClock;
  let timers: VirtualTimers;
  let store: Store;
  /** When each item is due. */
  let items: number[];
  /** When each round began. */
  let rounds: number[];
  let failures: unknown[];
  let queue: DurableQueue;
  let isBroken: boolean;
  let canHandle: boolean;
  let perRound: number;

  beforeEach(() => {
    clock = new VirtualClock(START);
    timers = new VirtualTimers(clock);
    store = openSqliteStore(':memory:', { durability: 'relaxed' });
    [items, rounds, failures] = [[], [], []];
    [isBroken, canHandle, perRound] = [false, true, 10];
    queue = new DurableQueue(
      { clock, timers, store, diagnose: (message, details) => failures.push([message, details]) },
      {
        failure: 'items could not be handled',
        async work() {
          rounds.push(clock.now() - START);
          await Promise.resolve();
          if (isBroken) throw new Error('broken');
          const due = items.filter((at) => at <= clock.now()).slice(0, perRound);
          if (canHandle) items = items.filter((at) => !due.includes(at));
          return canHandle && due.length === perRound;
        },
        // eslint-disable-next-line require-yield -- the items of this test are in memory
        *next() {
          return items.length === 0 ? null : Math.min(...items);
        },
      },
    );
  });
  afterEach(async () => {
    await queue.stop();
    await store.close();
  });

  const add = (inMs: number): void => {
    items.push(clock.now() + inMs);
    queue.changed(clock.now() + inMs);
  };
  /** Lets time pass in steps, so that each round ends before the next timer. */
  const pass = async (ms: number, step = 100): Promise<void> => {
    for (let passed = 0; passed < ms; passed += step) {
      timers.advance(step);
      await idle();
    }
  };
  /** Lets a round that the alarm began come to its end. */
  const idle = async (): Promise<void> => {
    for (let i = 0; i < 20; i += 1) await Promise.resolve();
  };

  it('a round runs when an item is due, and the next when the next is', async () => {
    add(300);
    add(1_200);
    await pass(2_000);
    expect(rounds).toEqual([300, 1_200]);
    expect(items).toEqual([]);
    expect(timers.count).toBe(0);
  });

  it('an item that was written before the queue existed is found by the first poll', async () => {
    items.push(START + 500);
    await queue.poll();
    await pass(1_000);
    expect(rounds).toEqual([0, 500]);
  });

  it('rounds follow each other at once while more is due', async () => {
    perRound = 2;
    for (const inMs of [100, 101, 102, 103, 104]) items.push(START + inMs);
    clock.move(200);
    queue.soon();
    timers.advance(0);
    await idle();
    timers.advance(0);
    await idle();
    timers.advance(0);
    await idle();
    expect(rounds).toEqual([200, 200, 200]);
    expect(items).toEqual([]);
  });

  it('items that a round cannot handle are tried again after a second, not at once', async () => {
    canHandle = false;
    add(100);
    await pass(2_050, 50);
    expect(rounds).toEqual([100, 1_100]);
    canHandle = true;
    await pass(50, 50);
    expect(items).toEqual([]);
  });

  it('a round that fails is reported and repeated after a second', async () => {
    isBroken = true;
    add(100);
    await pass(1_000);
    isBroken = false;
    expect(failures).toMatchObject([
      ['items could not be handled', { error: expect.any(Error) as Error }],
    ]);
    await pass(200);
    expect(rounds).toEqual([100, 1_100]);
    expect(items).toEqual([]);
  });

  it('rounds do not overlap, and calls during a round share the round after it', async () => {
    const first = queue.poll();
    await Promise.resolve();
    expect(rounds).toHaveLength(1);
    const shared = [queue.poll(), queue.poll(), queue.poll()];
    await Promise.all([first, ...shared]);
    expect(rounds).toHaveLength(2);
  });

  it('an item that is written during a round is not forgotten', async () => {
    const round = queue.poll();
    await Promise.resolve();
    add(400);
    await round;
    await pass(500);
    expect(rounds).toEqual([0, 400]);
  });

  it('an item of the far future is not due before its time', async () => {
    const days = 60 * 86_400_000;
    add(days);
    await pass(days, 3_600_000);
    expect(items).toEqual([]);
    expect(rounds.at(-1)).toBe(days);
  });

  it('a queue that is stopped waits for its round and begins no other', async () => {
    let isOver = false;
    const round = queue.poll().then(() => {
      isOver = true;
    });
    await Promise.resolve();
    const next = queue.poll();
    await queue.stop();
    expect(isOver).toBe(true);
    await Promise.all([round, next]);
    add(100);
    await pass(1_000);
    await queue.poll();
    expect(rounds).toEqual([0]);
    expect(timers.count).toBe(0);
  });
});
