import { StoaError } from '@stoa/protocol';
import {
  AgentSession,
  OWNER,
  QuickTimers,
  type RuntimeDaemon,
  RuntimeWorld,
  STORE_ENGINES,
} from '@stoa/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Timers } from '../ports.js';
import { StoreWait } from './store-wait.js';

const away = (): StoaError => new StoaError('storage_unavailable', 'gone');
const full = (): StoaError => new StoaError('storage_full', 'full');

describe('waiting for a store', () => {
  /** Virtual time. */
  const waits: number[] = [];
  let fire: (() => void) | undefined;
  const reported: string[] = [];
  const timers: Timers = {
    after(milliseconds, callback) {
      waits.push(milliseconds);
      fire = callback;
      return () => undefined;
    },
  };
  let wait: StoreWait;

  beforeEach(() => {
    waits.length = 0;
    reported.length = 0;
    wait = new StoreWait({
      timers,
      clock: { now: () => 7 },
      diagnose: (message) => reported.push(message),
    });
  });

  const passes = async (): Promise<void> => {
    fire?.();
    await new Promise(setImmediate);
  };

  it('OP-25 retries with growing delays, all callers at the same time, and reports once', async () => {
    let isFull = true;
    const write = (): Promise<string> => (isFull ? Promise.reject(full()) : Promise.resolve('in'));
    const writes = Promise.all([wait.run(write), wait.run(write), wait.run(write)]);
    await new Promise(setImmediate);
    expect(wait.outage).toEqual({ code: 'storage_full', since: 7, waiting: 3 });
    for (let i = 0; i < 6; i++) await passes();
    expect(waits).toEqual([50, 100, 200, 400, 800, 1_000, 1_000]);
    isFull = false;
    await passes();
    expect(await writes).toEqual(['in', 'in', 'in']);
    expect(wait.outage).toBeUndefined();
    expect(reported).toHaveLength(2);
  });

  it('OP-25 still counts a full store as full when a call succeeds that did not wait', async () => {
    let isFull = true;
    const write = (): Promise<string> => (isFull ? Promise.reject(full()) : Promise.resolve('in'));
    const writing = wait.run(write);
    await new Promise(setImmediate);
    for (let i = 0; i < 3; i++) {
      await wait.observe(() => Promise.resolve('a heartbeat'));
      await wait.run(() => Promise.resolve('a read'));
      await passes();
    }
    expect(wait.outage).toEqual({ code: 'storage_full', since: 7, waiting: 1 });
    expect(reported).toHaveLength(1);
    isFull = false;
    await passes();
    expect(await writing).toBe('in');
    expect(wait.outage).toBeUndefined();
    expect(reported).toHaveLength(2);
  });

  it('ends for a caller whose signal aborts, and does not begin for other failures', async () => {
    const stop = new AbortController();
    const waiting = wait.run(() => Promise.reject(away()), stop.signal);
    stop.abort(new StoaError('shutting_down'));
    await expect(waiting).rejects.toMatchObject({ code: 'shutting_down' });
    const refused = wait.run(() => Promise.reject(new StoaError('run_ended', 'over')));
    await expect(refused).rejects.toMatchObject({ code: 'run_ended' });
  });
});

describe.each(STORE_ENGINES)(
  'a write of a run whose commit has an unknown outcome, on $name',
  (engine) => {
    let world: RuntimeWorld;
    let daemon: RuntimeDaemon;

    beforeEach(async () => {
      world = await RuntimeWorld.open(engine);
      daemon = await world.start({ timers: new QuickTimers() });
    });
    afterEach(() => world.discard());

    /** The next write of a session fails, and was committed or not. */
    function loseAnswer(outcome: 'kept' | 'lost'): void {
      const { store } = daemon;
      const transact = store.transact.bind(store);
      store.transact = async (body, options = {}) => {
        if (options.lane?.startsWith('session:') !== true) return transact(body, options);
        store.transact = transact;
        const { lane } = options;
        const undone = new Error('undone');
        await transact(
          function* () {
            yield* body();
            if (outcome === 'lost') throw undone;
          },
          { lane },
        ).catch((error: unknown) => {
          if (error !== undone) throw error;
        });
        throw away();
      };
    }

    it.each(['kept', 'lost'] as const)('OP-24 that was %s is in the log once', async (outcome) => {
      const session = await AgentSession.open(daemon, 'helper');
      await session.submit('go');
      const run = await daemon.driver.nth(1);
      await run.deliver();
      const { journal } = run.context;
      loseAnswer(outcome);
      await journal.toolCall({
        callId: 'call',
        tool: 'shell',
        kind: 'execute',
        title: 'ls',
        input: {},
        inputHash: 'hash',
      });
      loseAnswer(outcome);
      run.complete('done');
      await session.ended(run.runId);
      const topic = `session:${session.sessionId}`;
      const { entries } = await daemon.core.readTopic(OWNER, topic, 0, 100);
      const types = entries.map(({ type }) => type);
      expect(types.filter((type) => type === 'tool_call')).toHaveLength(1);
      expect(types.filter((type) => type === 'completed')).toHaveLength(1);
      expect(daemon.driver.runs).toHaveLength(1);
    });
  },
);
