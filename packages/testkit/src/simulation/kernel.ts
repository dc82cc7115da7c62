/**
 * What every simulation is made of:
 *
 *   SimulatedDaemon    a core on virtual ports. Commits and paced work wait until the scheduler lets them go on.
 *   SimulatedHistory   one run of a simulation: seed, virtual time, what happened, the first failure.
 *   play               runs a history and reports a failure with its seed and last steps.
 *
 * A simulation adds its actions and its checks. Everything that happens follows from the seed.
 */
import {
  type Core,
  type CorePorts,
  createCore,
  type Driver,
  type Ids,
  idleRuntime,
  type RuntimePorts,
  type Secrets,
} from '@stoa/core';
import { type AgentDefinition, type DriverKind, StoaError } from '@stoa/protocol';
import {
  openSqlite,
  type SearchIndex,
  type SqliteDatabase,
  SqliteStore,
  type SqliteStoreOptions,
  type Store,
} from '@stoa/store';
import { VirtualAssetFiles } from '../virtual/asset-files.js';
import { VirtualClock } from '../virtual/clock.js';
import { virtualIds } from '../virtual/ids.js';
import { SeededRandom } from '../virtual/random.js';
import { virtualSecrets } from '../virtual/secrets.js';
import { VirtualTimers } from '../virtual/timers.js';
import { type Fail, SimulationFailure, violated, violation } from './failure.js';

/** A defect in the parts under test, planted to prove that a simulation finds it. */
export interface Planted {
  readonly store?: (store: Store) => Store;
  readonly core?: (core: Core) => Core;
  /** A disk that answers a commit before it is kept, and forgets the last one in a crash. */
  readonly isDiskForgetful?: boolean;
}

/** Resolves when nothing is left that could run by itself: all that waits, waits for the scheduler. */
export const settled = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

/** Whether a promise is settled. */
export function watch(work: Promise<unknown>): { readonly isDone: boolean } {
  const progress = { isDone: false };
  const done = (): void => {
    progress.isDone = true;
  };
  work.then(done, done);
  return progress;
}

/** A store, some of whose members are replaced. */
export function storeWith(store: Store, replace: (name: string | symbol) => unknown): Store {
  return new Proxy(store, {
    get: (target, name) => {
      const replaced = replace(name);
      if (replaced !== undefined) return replaced;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

let blank: Uint8Array | undefined;

/** A migrated database without rows. */
export function blankImage(): Uint8Array {
  if (!blank) {
    const db = openSqlite(':memory:');
    new SqliteStore(db, { durability: 'full' });
    blank = db.serialize();
    db.close();
  }
  return blank;
}

const FOREVER = Number.MAX_SAFE_INTEGER;
const AGENT: AgentDefinition = { driver: { kind: 'script' }, mode: 'ask', instructions: '' };
const NO_SEARCH: SearchIndex = {
  search: () => Promise.resolve([]),
  hint: () => undefined,
  settled: () => Promise.resolve(),
  close: () => Promise.resolve(),
};

/** What a daemon finds on its machine. */
export interface Machine {
  readonly db: SqliteDatabase;
  readonly clock: VirtualClock;
  readonly ids: Ids;
  readonly secrets: Secrets;
}

/** How the core of a daemon differs from one without agents, search, files and retention. */
interface Wiring {
  readonly store?: Partial<SqliteStoreOptions>;
  /** The clock of group commits. */
  readonly now?: () => number;
  readonly wrap?: (store: Store) => Store;
  readonly ports: Partial<CorePorts> & Pick<CorePorts, 'report'>;
}

/** One process: the store and the domain as the real daemon wires them, on virtual ports. */
export abstract class SimulatedDaemon {
  readonly core: Core;
  readonly timers: VirtualTimers;
  /** Set by the store when there is something to commit, called by the scheduler. */
  flush: (() => void) | undefined;
  /** Work that waits for the scheduler. */
  readonly waiting: (() => void)[] = [];
  isAlive = true;

  constructor(
    readonly name: string,
    { db, clock, ids, secrets }: Machine,
    wire: (daemon: SimulatedDaemon) => Wiring,
    planted: Planted = {},
  ) {
    this.timers = new VirtualTimers(clock);
    const { store: options, now = () => 0, wrap, ports } = wire(this);
    const store = new SqliteStore(db, {
      durability: 'full',
      ...options,
      ports: {
        schedule: (flush) => {
          if (this.isAlive) this.flush = flush;
        },
        now,
        fatal: (error) => {
          throw error;
        },
      },
    });
    const wrapped = planted.store?.(store) ?? store;
    const core = createCore({
      store: wrap?.(wrapped) ?? wrapped,
      search: NO_SEARCH,
      files: new VirtualAssetFiles({ files: new Map(), full: false }),
      clock,
      ids,
      secrets,
      retention: {
        idempotencyKeyMs: FOREVER,
        revokedCredentialMs: FOREVER,
        unusedAssetMs: FOREVER,
        humanTopicEvents: FOREVER,
      },
      openScratch: () => Promise.reject(new Error('not used')),
      runtime: idleRuntime(),
      ...ports,
    });
    this.core = planted.core?.(core) ?? core;
  }

  /** Commits what waits. Returns whether there was something. */
  commit(): boolean {
    const { flush } = this;
    this.flush = undefined;
    flush?.();
    return flush !== undefined;
  }

  /** Lets all work that waits go on. */
  goOn(): void {
    for (const go of this.waiting.splice(0)) go();
  }

  /** Its work is never finished. */
  kill(): void {
    this.isAlive = false;
    this.flush = undefined;
    this.waiting.length = 0;
  }

  /** Resolves when the scheduler says so, rejects when the signal aborts, and neither after `kill`. */
  pace(signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (!this.isAlive) return;
      const go = (): void => {
        if (signal?.aborted) reject(signal.reason as Error);
        else resolve();
      };
      this.waiting.push(go);
      signal?.addEventListener('abort', () => {
        const index = this.waiting.indexOf(go);
        if (index !== -1) this.waiting.splice(index, 1);
        reject(signal.reason as Error);
      });
    });
  }
}

/** A runtime whose agents are all run by this driver. */
export function runtimeWith(
  { name, timers }: SimulatedDaemon,
  driver: Driver,
  changes: Partial<RuntimePorts> = {},
): RuntimePorts {
  return idleRuntime({
    daemonId: name,
    timers,
    approvalMs: 60_000,
    drivers: new Map<DriverKind, Driver>([['script', driver]]),
    builtinAgents: () => Promise.resolve({ agent: AGENT }),
    ...changes,
  });
}

/** One run of a simulation. */
export abstract class SimulatedHistory {
  readonly random: SeededRandom;
  readonly clock: VirtualClock;
  readonly ids: Ids;
  readonly secrets: Secrets;
  readonly trace: string[] = [];
  /** How often what happened: a simulation that never crashes proves little. */
  readonly seen = new Map<string, number>();
  /** What is happening now. */
  doing = 'start';
  #failure: Error | undefined;

  constructor(
    readonly seed: number,
    startsAt: number,
    /** Refusals that callers may get when things happen at the same time. */
    private readonly expected: ReadonlySet<string> = new Set(),
  ) {
    this.random = new SeededRandom(seed);
    this.clock = new VirtualClock(startsAt);
    this.ids = virtualIds(this.clock, this.random);
    this.secrets = virtualSecrets(this.random);
  }

  /** Commits something that waits. Returns whether there was something. */
  abstract commit(): boolean;
  abstract close(): void;

  saw(what: string): void {
    this.seen.set(what, (this.seen.get(what) ?? 0) + 1);
  }

  note(what: string, line = what): void {
    this.saw(what);
    this.trace.push(line);
  }

  /** Records a violation, which `assertUnviolated` throws even if other code catches all exceptions. */
  readonly fail: Fail = (what, details) => {
    this.#failure ??= violation(what, details);
  };

  readonly report = (error: unknown): void => {
    if (error instanceof Error) this.#failure ??= error;
    else this.fail('something was thrown that is no error', { thrown: error });
  };

  assertUnviolated(): void {
    if (this.#failure) throw this.#failure;
  }

  get isViolated(): boolean {
    return this.#failure !== undefined;
  }

  isExpected(error: unknown): error is StoaError {
    return error instanceof StoaError && this.expected.has(error.code);
  }

  /** Calls the daemon without waiting for the answer. */
  call(call: Promise<unknown>): void {
    call.catch((error: unknown) => {
      if (this.isExpected(error)) this.saw(`refusal ${error.code}`);
      else this.report(error);
    });
  }

  /** Completes this before anything else happens. */
  async soon<T>(work: Promise<T>): Promise<T> {
    const progress = watch(work);
    for (;;) {
      await settled();
      if (progress.isDone) return work;
      if (!this.commit()) violated('the daemon waits for something that never comes');
    }
  }
}

/** Runs a history; throws a SimulationFailure when an invariant does not hold. */
export async function play<T>(
  history: SimulatedHistory,
  testFile: string,
  run: () => Promise<T>,
): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw new SimulationFailure(history.seed, history.trace, history.doing, error, testFile);
  } finally {
    history.close();
  }
}
