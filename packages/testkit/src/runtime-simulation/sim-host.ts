import { type Core, createCore, type Ids, idleRuntime, type Secrets } from '@stoa/core';
import type { AgentDefinition, DriverKind } from '@stoa/protocol';
import { type SearchIndex, type SqliteDatabase, SqliteStore, type Store } from '@stoa/store';
import { VirtualAssetFiles } from '../virtual/asset-files.js';
import type { VirtualClock } from '../virtual/clock.js';
import type { SeededRandom } from '../virtual/random.js';
import { VirtualTimers } from '../virtual/timers.js';
import { SimAgent } from './sim-agent.js';

const NO_SEARCH: SearchIndex = {
  search: () => Promise.resolve([]),
  hint: () => undefined,
  settled: () => Promise.resolve(),
  close: () => Promise.resolve(),
};
const AGENT: AgentDefinition = { driver: { kind: 'script' }, mode: 'ask', instructions: '' };
const FOREVER = Number.MAX_SAFE_INTEGER;

export interface HostPorts {
  readonly db: SqliteDatabase;
  readonly clock: VirtualClock;
  readonly random: SeededRandom;
  readonly ids: Ids;
  readonly secrets: Secrets;
  readonly perform: (callId: string, host: SimHost) => void;
  readonly wrote: (runId: string, host: SimHost) => void;
  readonly newCallId: () => string;
  readonly report: (error: unknown) => void;
}

/** One daemon of a simulation: the domain with agents, on virtual ports. */
export class SimHost {
  readonly core: Core;
  readonly timers: VirtualTimers;
  /** Asked for by the store, run when the scheduler says so. */
  flush: (() => void) | undefined;
  /** What waits for its turn. */
  readonly waiting: (() => void)[] = [];
  isAlive = true;

  constructor(
    readonly name: string,
    ports: HostPorts,
  ) {
    const { db, clock, random, ids, secrets } = ports;
    this.timers = new VirtualTimers(clock);
    const agent = new SimAgent({
      random,
      pace: () => this.#pace(),
      perform: (callId) => {
        ports.perform(callId, this);
      },
      wrote: (runId) => {
        ports.wrote(runId, this);
      },
      newCallId: ports.newCallId,
    });
    this.core = createCore({
      store: this.#storeOn(db),
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
      report: ports.report,
      runtime: idleRuntime({
        daemonId: name,
        timers: this.timers,
        approvalMs: 60_000,
        drivers: new Map<DriverKind, SimAgent>([['script', agent]]),
        builtinAgents: () => Promise.resolve({ agent: AGENT }),
      }),
    });
  }

  /** Whatever it was doing is never finished. */
  kill(): void {
    this.isAlive = false;
    this.flush = undefined;
    this.waiting.length = 0;
  }

  #pace(): Promise<void> {
    return new Promise((resolve) => {
      if (this.isAlive) this.waiting.push(resolve);
    });
  }

  /** Several daemons on one database, as on PostgreSQL: what a store on SQLite would rule out. */
  #storeOn(db: SqliteDatabase): Store {
    const store = new SqliteStore(db, {
      durability: 'full',
      ports: {
        schedule: (flush) => {
          this.flush = flush;
        },
        now: () => 0,
        fatal: (error) => {
          throw error;
        },
      },
    });
    return new Proxy(store, {
      get: (target, name) => {
        if (name === 'engine') return 'postgres';
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
  }
}
