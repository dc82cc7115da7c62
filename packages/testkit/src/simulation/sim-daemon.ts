import { type Clock, type Core, createCore, type Ids, idleRuntime, type Secrets } from '@stoa/core';
import {
  type ScratchStore,
  type SqliteDatabase,
  SqliteStore,
  type SqliteStoreOptions,
  type Store,
} from '@stoa/store';
import { type AssetDisk, VirtualAssetFiles } from '../virtual/asset-files.js';
import type { SeededRandom } from '../virtual/random.js';
import { type Call, newUpkeep, onBehalf, type Upkeep } from './call.js';
import type { Fail } from './failure.js';
import { type Attempt, observedStore } from './observed-store.js';
import type { Profile } from './profile.js';
import type { SharedTurns } from './shared-turns.js';
import { SimulatedSearch } from './simulated-search.js';
import { DIRECTORY, RETENTION } from './surroundings.js';

/** What a process finds on its machine, and who looks on. */
export interface Machine {
  readonly db: SqliteDatabase;
  readonly assetDisk: AssetDisk;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly secrets: Secrets;
  readonly random: SeededRandom;
  readonly profile: Profile;
  readonly turns: SharedTurns;
  readonly ownerSecret: string;
  readonly fail: Fail;
  openScratch(): ScratchStore;
  /** Puts a defect into the store, if the run is about one. */
  plant(store: Store): Store;
  attempted(attempt: Attempt): void;
  read(owner: Call | Upkeep | undefined): void;
  searched(call: Call, word: string): void;
  published(by: SimDaemon, topicIds: readonly number[]): void;
}

/** One process: the store and the domain as the real daemon wires them, on virtual ports. */
export class SimDaemon {
  readonly core: Core;
  readonly search: SimulatedSearch;
  /** Asked for by the store, run when the scheduler says so. */
  flush: (() => void) | undefined;
  /** Reads and files that wait for their turn. */
  readonly waiting: (() => void)[] = [];
  isAlive = true;
  isPaced = false;

  constructor(
    readonly name: string,
    private readonly machine: Machine,
  ) {
    const { db, clock, ids, secrets } = machine;
    const store = new SqliteStore(db, this.#storeOptions());
    this.search = new SimulatedSearch(db, machine.profile.daemons > 1, (call, word) => {
      machine.searched(call, word);
    });
    this.core = createCore({
      store: observedStore(machine.plant(store), this),
      search: this.search,
      files: new VirtualAssetFiles(machine.assetDisk, () => this.pace()),
      clock,
      ids,
      secrets,
      retention: RETENTION,
      openScratch: () => Promise.resolve(machine.openScratch()),
      runtime: idleRuntime(),
      report: (error) => {
        if (this.isAlive) machine.fail('a defect was reported that no caller waits for', { error });
      },
    });
  }

  /** What the daemon does before it takes requests. */
  async start(): Promise<void> {
    const { clock, ownerSecret, profile } = this.machine;
    const upkeep = newUpkeep('boot', clock.now());
    await onBehalf.run(upkeep, () => this.core.credentials.adoptOwnerToken(ownerSecret, DIRECTORY));
    this.isPaced = profile.pacedReads;
  }

  /** Whatever it was doing is never finished. */
  kill(): void {
    this.isAlive = false;
    this.flush = undefined;
    this.waiting.length = 0;
    this.machine.turns.giveUp(this);
    void this.search.close();
  }

  attempted(attempt: Attempt): void {
    this.machine.attempted(attempt);
  }

  read(owner: Call | Upkeep | undefined): void {
    if (this.isAlive) this.machine.read(owner);
  }

  published(topicIds: readonly number[]): void {
    this.machine.published(this, topicIds);
  }

  exclusively<T>(name: string, work: () => Promise<T>): Promise<T> {
    if (!this.isAlive) return new Promise(() => undefined);
    return this.machine.turns.run(this, name, work);
  }

  pace(): Promise<void> {
    if (!this.isAlive) return new Promise(() => undefined);
    if (!this.isPaced || this.#isHastened()) return Promise.resolve();
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  /** A check reads so much that, paced like the rest, it would hardly ever come to its end. */
  #isHastened(): boolean {
    const owner = onBehalf.getStore();
    const isCheck = owner !== undefined && 'upkeep' in owner && owner.upkeep === 'check';
    return isCheck && this.machine.random.chance(0.95);
  }

  #storeOptions(): SqliteStoreOptions {
    const { random, profile } = this.machine;
    let elapsed = 0;
    return {
      durability: 'full',
      group: profile.group,
      ports: {
        schedule: (flush) => {
          this.flush = flush;
        },
        now: () => {
          elapsed += random.next() * profile.memberMs;
          return elapsed;
        },
        fatal: (error) => {
          throw error;
        },
      },
    };
  }
}
