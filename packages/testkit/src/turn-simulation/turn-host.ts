import { type Core, createCore, type Ids, idleRuntime, type Secrets } from '@stoa/core';
import type { AgentDefinition, DriverKind } from '@stoa/protocol';
import {
  type ScratchStore,
  type SearchIndex,
  type SqliteDatabase,
  SqliteStore,
  type Store,
} from '@stoa/store';
import { VirtualAssetFiles } from '../virtual/asset-files.js';
import type { VirtualClock } from '../virtual/clock.js';
import { VirtualTimers } from '../virtual/timers.js';
import type { PlantedInTurns } from './planted-in-turns.js';
import { type Audience, SimSpeaker } from './sim-speaker.js';

const NO_SEARCH: SearchIndex = {
  search: () => Promise.resolve([]),
  hint: () => undefined,
  settled: () => Promise.resolve(),
  close: () => Promise.resolve(),
};
const AGENT: AgentDefinition = { driver: { kind: 'script' }, mode: 'ask', instructions: '' };
const FOREVER = Number.MAX_SAFE_INTEGER;
const NO_FILES = { files: new Map<string, Uint8Array>(), full: false };
/** What a daemon says when something broke that is none of an agent's. */
const DEFECTS = /could not be (worked on|looked at|stored|posted|repaired)|let go of a run/;

export interface TurnHostPorts {
  readonly db: SqliteDatabase;
  readonly clock: VirtualClock;
  readonly ids: Ids;
  readonly secrets: Secrets;
  readonly audience: Omit<Audience, 'pace'>;
  readonly planted: PlantedInTurns;
  readonly openScratch: () => ScratchStore;
  readonly report: (error: unknown) => void;
}

/** One life of the daemon: the domain on virtual ports, with agents that go on when the scheduler lets them. */
export class TurnHost {
  readonly core: Core;
  readonly timers: VirtualTimers;
  /** Asked for by the store, run when the scheduler says so. */
  flush: (() => void) | undefined;
  /** Agents that wait for their next step. */
  readonly waiting: (() => void)[] = [];
  isAlive = true;

  constructor(daemonId: string, ports: TurnHostPorts) {
    const { db, clock, ids, secrets, audience, planted } = ports;
    this.timers = new VirtualTimers(clock);
    const store = this.#mortal(
      new SqliteStore(db, {
        durability: 'relaxed',
        ports: {
          schedule: (flush) => {
            if (this.isAlive) this.flush = flush;
          },
          now: () => 0,
          fatal: (error) => {
            throw error;
          },
        },
      }),
    );
    const speaker = new SimSpeaker({ ...audience, pace: (signal) => this.#pace(signal) });
    const core = createCore({
      store: planted.store?.(store) ?? store,
      search: NO_SEARCH,
      files: new VirtualAssetFiles(NO_FILES),
      clock,
      ids,
      secrets,
      retention: {
        idempotencyKeyMs: FOREVER,
        revokedCredentialMs: FOREVER,
        unusedAssetMs: FOREVER,
        humanTopicEvents: FOREVER,
      },
      openScratch: () => Promise.resolve(ports.openScratch()),
      report: ports.report,
      runtime: idleRuntime({
        daemonId,
        timers: this.timers,
        approvalMs: 60_000,
        drivers: new Map<DriverKind, SimSpeaker>([['script', speaker]]),
        builtinAgents: () => Promise.resolve({ agent: AGENT }),
        diagnose: (message, details) => {
          if (DEFECTS.test(message)) audience.fail(message, details);
        },
      }),
    });
    this.core = planted.core?.(core) ?? core;
  }

  /** As the real daemon begins. */
  async begin(): Promise<void> {
    await this.core.credentials.adoptOwnerToken('owner', '/home');
    await this.core.recover();
    await this.core.start();
  }

  /** What a daemon does now and then. */
  async tick(): Promise<void> {
    await this.core.tick();
  }

  /** Whatever it was doing is never finished. */
  kill(): void {
    this.isAlive = false;
    this.flush = undefined;
    this.waiting.length = 0;
  }

  #pace(signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (!this.isAlive) return;
      const go = (): void => {
        if (signal?.aborted) reject(signal.reason as Error);
        else resolve();
      };
      this.waiting.push(go);
      signal?.addEventListener('abort', () => {
        const place = this.waiting.indexOf(go);
        if (place !== -1) this.waiting.splice(place, 1);
        reject(signal.reason as Error);
      });
    });
  }

  /** A process that is gone reads and writes nothing. */
  #mortal(store: Store): Store {
    const never = <T>(): Promise<T> => new Promise(() => undefined);
    return new Proxy(store, {
      get: (target, name) => {
        if (name === 'transact' || name === 'read') {
          if (!this.isAlive) return never;
        }
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
  }
}
