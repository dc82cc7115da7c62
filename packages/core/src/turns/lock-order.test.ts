import {
  lockChannel,
  lockSession,
  oneByOne,
  openSqliteStore,
  type Store,
  type Tx,
} from '@stoa/store';
import { OWNER, type StoreEngine } from '@stoa/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TurnStage } from './turn-stage.fixture.js';

/** A store that records what its transactions lock, in which order. */
class LockedStore implements StoreEngine {
  readonly name = 'sqlite';
  /** For each transaction the channels and sessions that it locked, in the order of their first lock. */
  readonly transactions: string[][] = [];

  newDatabase() {
    return Promise.resolve({
      open: () => Promise.resolve(this.#watch(openSqliteStore(':memory:', RELAXED))),
      discard: () => Promise.resolve(),
    });
  }

  #watch(store: Store): Store {
    return new Proxy(store, {
      get: (target, name) => {
        if (name === 'transact') {
          const transact: Store['transact'] = (body, options) =>
            target.transact(() => this.#recorded(body), options);
          return transact;
        }
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
  }

  *#recorded<T>(body: () => Tx<T>): Tx<T> {
    const locks = new Set<string>();
    const tx = oneByOne(body());
    for (let step = tx.next(); ; ) {
      if (step.done) {
        this.transactions.push([...locks]);
        return step.value;
      }
      const { text, params } = step.value;
      if (text === lockChannel.text) locks.add(`channel ${String(params['channelId'])}`);
      if (text === lockSession.text) locks.add('session');
      step = tx.next(yield step.value);
    }
  }
}

const RELAXED = { durability: 'relaxed' } as const;

describe('the lock order of operations that end the work of a session', () => {
  const store = new LockedStore();
  let stage: TurnStage;
  let sessionId: string;
  beforeEach(async () => {
    stage = await TurnStage.open(store, ['a', 'b']);
    sessionId = stage.sessionOf('a');
    const { channels } = stage.core;
    await channels.create(OWNER, { channelId: 'attic', title: 'Attic' });
    await channels.upsertMember(OWNER, 'attic', { actorId: `session:${sessionId}` });
    await stage.say('@a hello');
    await channels.post(OWNER, 'attic', { text: 'and here' });
    store.transactions.length = 0;
  });
  afterEach(() => stage.close());

  /** The locks of the transactions that locked all of these channels. */
  const locking = (...channels: string[]): string[][] =>
    store.transactions.filter((locks) =>
      channels.every((channel) => locks.includes(`channel ${channel}`)),
    );

  it('locks the channel before the session when a run is cancelled', async () => {
    const { run } = await stage.next();
    await stage.core.runs.cancel(OWNER, run.runId);
    expect(locking('team')[0]?.slice(0, 2)).toEqual(['channel team', 'session']);
  });

  it.each(['clear', 'end'] as const)('locks all channels before the session: %s', async (what) => {
    await stage.next();
    await stage.core.sessions[what](OWNER, sessionId);
    const [locks] = locking('attic', 'team');
    expect(locks?.slice(0, 3)).toEqual(['channel attic', 'channel team', 'session']);
  });

  it('locks all channels before the session when a person steers it', async () => {
    const { run } = await stage.next();
    await stage.core.inbox.submit(OWNER, sessionId, { text: 'do this', rule: 'steer' });
    expect(await stage.ended(run)).toBe('cancelled');
    const [locks] = locking('team');
    expect(locks?.slice(0, 3)).toEqual(['channel attic', 'channel team', 'session']);
  });

  it('locks the channel before the session when a schedule is created and when it fires', async () => {
    const { run } = await stage.next();
    const { origin } = run.context;
    const creator = { sessionId, runId: run.runId, origin };
    const cadence = { kind: 'interval' as const, everyMs: 60_000 };
    const request = {
      title: 'Check',
      cadence,
      text: 'check',
      overlap: 'skip',
      misfire: 'skip_missed',
    } as const;
    const { scheduleId } = await stage.core.schedules.createInRun(creator, request);
    await stage.core.schedules.trigger(OWNER, scheduleId);
    const both = locking('team').filter((locks) => locks.includes('session'));
    expect(both.length).toBeGreaterThanOrEqual(2);
    for (const locks of both) expect(locks).toEqual(['channel team', 'session']);
  });
});
