import type { ScratchStore } from '@stoa/store';
import { type AssetDisk, VirtualAssetFiles } from '../virtual/asset-files.js';
import type { SeededRandom } from '../virtual/random.js';
import { type Call, newUpkeep, onBehalf, type Upkeep } from './call.js';
import type { Fail } from './failure.js';
import { type Machine, type Planted, SimulatedDaemon } from './kernel.js';
import { type Attempt, observedStore } from './observed-store.js';
import type { Profile } from './profile.js';
import type { SharedTurns } from './shared-turns.js';
import { SimulatedSearch } from './simulated-search.js';
import { DIRECTORY, RETENTION } from './surroundings.js';

/** What a process finds on its machine, and its observers. */
interface ObservedMachine extends Machine {
  readonly assetDisk: AssetDisk;
  readonly random: SeededRandom;
  readonly profile: Profile;
  readonly turns: SharedTurns;
  readonly ownerSecret: string;
  readonly fail: Fail;
  openScratch(): ScratchStore;
  readonly planted: Planted;
  attempted(attempt: Attempt): void;
  read(owner: Call | Upkeep | undefined): void;
  searched(call: Call, word: string): void;
  published(by: SimDaemon, topicIds: readonly number[]): void;
}

/** A daemon whose transactions, searches and hints are observed. */
export class SimDaemon extends SimulatedDaemon {
  readonly search: SimulatedSearch;
  isPaced = false;

  constructor(
    name: string,
    private readonly machine: ObservedMachine,
  ) {
    const { db, profile, random } = machine;
    const search = new SimulatedSearch(db, profile.daemons > 1, (call, word) => {
      machine.searched(call, word);
    });
    let elapsed = 0;
    super(
      name,
      machine,
      // The base class calls this before `this` exists.
      (daemon) => ({
        store: { group: profile.group },
        now: () => {
          elapsed += random.next() * profile.memberMs;
          return elapsed;
        },
        wrap: (store) => observedStore(store, daemon as SimDaemon),
        ports: {
          search,
          files: new VirtualAssetFiles(machine.assetDisk, () => daemon.pace()),
          retention: RETENTION,
          openScratch: () => Promise.resolve(machine.openScratch()),
          report: (error) => {
            if (daemon.isAlive)
              machine.fail('a defect was reported that no caller waits for', { error });
          },
        },
      }),
      machine.planted,
    );
    this.search = search;
  }

  /** What the daemon does before it takes requests. */
  async start(): Promise<void> {
    const { clock, ownerSecret, profile } = this.machine;
    const upkeep = newUpkeep('boot', clock.now());
    await onBehalf.run(upkeep, () => this.core.credentials.adoptOwnerToken(ownerSecret, DIRECTORY));
    this.isPaced = profile.pacedReads;
  }

  override kill(): void {
    super.kill();
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

  override pace(): Promise<void> {
    if (this.isAlive && (!this.isPaced || this.#isHastened())) return Promise.resolve();
    return super.pace();
  }

  /** A check reads so much that, paced like the rest, it would hardly ever come to its end. */
  #isHastened(): boolean {
    const owner = onBehalf.getStore();
    const isCheck = owner !== undefined && 'upkeep' in owner && owner.upkeep === 'check';
    return isCheck && this.machine.random.chance(0.95);
  }
}
