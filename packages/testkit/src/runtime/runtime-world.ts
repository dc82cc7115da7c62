import { type Core, createCore, idleRuntime, OWNER_ID, type RuntimePorts } from '@stoa/core';
import type { AgentDefinition, DriverKind, Principal } from '@stoa/protocol';
import { deleteDaemon, openScratchStore, type SearchIndex, type Store } from '@stoa/store';
import type { StoreEngine, TestDatabase } from '../engines/store-engines.js';
import { VirtualAssetFiles } from '../virtual/asset-files.js';
import { VirtualClock } from '../virtual/clock.js';
import { virtualIds } from '../virtual/ids.js';
import { SeededRandom } from '../virtual/random.js';
import { virtualSecrets } from '../virtual/secrets.js';
import { VirtualTimers } from '../virtual/timers.js';
import { DirectedDriver } from './directed-driver.js';

export const OWNER: Principal = {
  kind: 'human',
  id: OWNER_ID,
  owner: true,
  credentialId: 'crd_00000000000000000000000000',
};

const AGENTS: Readonly<Record<string, AgentDefinition>> = {
  helper: { driver: { kind: 'script', script: '' }, mode: 'ask', instructions: 'Help.' },
};

const NO_SEARCH: SearchIndex = {
  search: () => Promise.resolve([]),
  hint: () => undefined,
  settled: () => Promise.resolve(),
  close: () => Promise.resolve(),
};

const rethrow = (error: unknown): never => {
  throw error;
};

/** One daemon's domain on a real store, with a driver that the test directs. */
export interface RuntimeDaemon {
  readonly core: Core;
  readonly store: Store;
  readonly driver: DirectedDriver;
  readonly diagnoses: { readonly message: string; readonly details: unknown }[];
  readonly timers: VirtualTimers;
  /** As if the process had been killed, long enough ago to be noticed: nothing of it is finished. */
  abandon(): Promise<void>;
  stop(): Promise<void>;
}

/** A database, a clock, and the daemons that start and stop on them. */
export class RuntimeWorld {
  readonly clock = new VirtualClock(Date.UTC(2026, 0, 5, 9));
  readonly #random = new SeededRandom(7);
  readonly #ids = virtualIds(this.clock, this.#random);
  readonly #open: RuntimeDaemon[] = [];
  #daemons = 0;

  private constructor(private readonly database: TestDatabase) {}

  static async open(engine: StoreEngine): Promise<RuntimeWorld> {
    return new RuntimeWorld(await engine.newDatabase());
  }

  async start(
    changes: Partial<RuntimePorts> = {},
    report: (error: unknown) => void = rethrow,
  ): Promise<RuntimeDaemon> {
    this.#daemons += 1;
    const store = await this.database.open();
    const driver = new DirectedDriver();
    const timers = new VirtualTimers(this.clock);
    const diagnoses: RuntimeDaemon['diagnoses'][number][] = [];
    const core = createCore({
      store,
      search: NO_SEARCH,
      files: new VirtualAssetFiles({ files: new Map(), full: false }),
      clock: this.clock,
      ids: this.#ids,
      secrets: virtualSecrets(this.#random),
      retention: {
        idempotencyKeyMs: Number.MAX_SAFE_INTEGER,
        revokedCredentialMs: Number.MAX_SAFE_INTEGER,
        unusedAssetMs: Number.MAX_SAFE_INTEGER,
        humanTopicEvents: Number.MAX_SAFE_INTEGER,
      },
      openScratch: () => Promise.resolve(openScratchStore(':memory:')),
      report,
      runtime: idleRuntime({
        daemonId: `daemon-${String(this.#daemons)}`,
        timers,
        builtinAgents: () => Promise.resolve(AGENTS),
        drivers: new Map<DriverKind, DirectedDriver>([['script', driver]]),
        diagnose: (message, details) => diagnoses.push({ message, details }),
        ...changes,
      }),
    });
    const daemonId = core.ownership.daemonId;
    await core.credentials.adoptOwnerToken('owner-secret', '/home');
    await core.ownership.join();
    await core.runner.poll();
    const daemon: RuntimeDaemon = {
      core,
      store,
      driver,
      diagnoses,
      timers,
      async abandon() {
        await store.transact(() => deleteDaemon.run({ daemonId }));
        await store.close();
      },
      async stop() {
        await core.runner.stop();
        await store.close();
      },
    };
    this.#open.push(daemon);
    return daemon;
  }

  async discard(): Promise<void> {
    for (const daemon of this.#open) await daemon.store.close();
    await this.database.discard();
  }
}
