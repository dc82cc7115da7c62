import { createHash } from 'node:crypto';
import type { AssetDisk } from '../virtual/asset-files.js';
import type { SeededRandom } from '../virtual/random.js';
import type { Call, Outcome, Upkeep } from './call.js';
import { Judge } from './judge.js';
import { type Planted, SimulatedHistory } from './kernel.js';
import { Ledger } from './ledger.js';
import { Model } from './model/model.js';
import type { ModelState } from './model/state.js';
import { messagesWith } from './model/views.js';
import type { Attempt } from './observed-store.js';
import type { Operation, Request } from './operation.js';
import type { Profile } from './profile.js';
import { ScratchStores } from './scratch-stores.js';
import { SharedTurns } from './shared-turns.js';
import { SimDaemon } from './sim-daemon.js';
import type { SimReader } from './sim-reader.js';
import { type DiskWatcher, VirtualDisk } from './virtual-disk.js';

/** Where a run begins. */
export interface Opening {
  readonly image: Uint8Array;
  readonly state: ModelState;
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly secrets: ReadonlyMap<string, string>;
}

export interface Response {
  readonly from: SimDaemon;
  readonly call: Call;
  readonly outcome: Outcome;
}

const MONDAY = Date.UTC(2030, 0, 7, 9);
const scratch = new ScratchStores();

/** Everything there is in one run: the disk, the processes on it, the network and the clients. */
export class World extends SimulatedHistory {
  readonly disk: VirtualDisk;
  readonly assetDisk: AssetDisk;
  readonly model: Model;
  readonly judge: Judge;
  readonly ledger = new Ledger();
  readonly turns = new SharedTurns();
  readonly ownerSecret: string;
  /** By the name of the human, which is also the name of the client. */
  readonly tokens: Map<string, string>;
  readonly readers: SimReader[] = [];
  readonly profile: Profile;
  daemons: SimDaemon[] = [];

  /** Sent and not arrived. */
  readonly network: Request[] = [];
  /** Arrived and not answered, and where. */
  readonly calls = new Map<Call, SimDaemon>();
  /** Answered and not delivered. */
  responses: Response[] = [];
  /** Sent by one daemon and not received by another. */
  hints: { readonly to: SimDaemon; readonly topic: string | undefined }[] = [];
  /** The bytes were acknowledged as stored. */
  readonly acknowledgedAssets = new Set<string>();
  /** Under way, and where. */
  readonly sweeps = new Map<Upkeep, SimDaemon>();
  readonly sentWithKey: Request[] = [];
  /** Transactions that were run since the last flush began. */
  attempts: Attempt[] = [];
  /** By topic, the last sequence that was compared with the model. */
  readonly compared = new Map<string, number>();
  #requests = 0;
  #begunAt = 0;

  constructor(
    seed: number,
    opening: Opening,
    chooseProfile: (random: SeededRandom) => Profile,
    private readonly planted: Planted = {},
  ) {
    super(seed, MONDAY);
    this.profile = chooseProfile(this.random);
    this.model = new Model(structuredClone(opening.state));
    this.judge = new Judge(this);
    this.assetDisk = { files: new Map(opening.files), full: false };
    this.tokens = new Map(opening.secrets);
    this.ownerSecret = opening.secrets.get('owner') ?? '';
    const watcher: DiskWatcher = {
      begun: () => {
        this.#begunAt = this.attempts.length;
      },
      committed: () => {
        for (const attempt of this.attempts.slice(this.#begunAt)) {
          if (attempt.outcome?.ok) attempt.committed = true;
        }
      },
    };
    this.disk = new VirtualDisk(opening.image, watcher, planted.isDiskForgetful);
  }

  async startDaemons(): Promise<void> {
    this.daemons = [];
    for (let i = 1; i <= this.profile.daemons; i++) await this.startDaemon(`d${i}`);
  }

  async startDaemon(name: string): Promise<void> {
    const daemon = new SimDaemon(name, {
      ...this.#surroundings(),
      openScratch: () => scratch.open(),
      planted: this.planted,
      attempted: (attempt) => this.attempts.push(attempt),
      read: (owner) => {
        this.judge.read(owner);
      },
      searched: (call, word) => {
        call.found = messagesWith(this.model.state, word);
      },
      published: (by, topicIds) => {
        this.#hint(by, topicIds);
      },
    });
    this.daemons.push(daemon);
    await daemon.start();
  }

  #surroundings() {
    const { disk, assetDisk, clock, ids, secrets, random, profile, turns, ownerSecret, fail } =
      this;
    return {
      db: disk.db,
      assetDisk,
      clock,
      ids,
      secrets,
      random,
      profile,
      turns,
      ownerSecret,
      fail,
    };
  }

  newRequest(client: string, operation: (marker: string) => Operation, key?: string): Request {
    this.#requests += 1;
    const marker = `mark${this.#requests}x`;
    const secret = this.tokens.get(client) ?? '';
    return { id: this.#requests, client, secret, operation: operation(marker), key, marker };
  }

  moveClock(milliseconds: number): void {
    this.clock.move(milliseconds);
    for (const sweep of this.sweeps.keys()) sweep.latest = Math.max(sweep.latest, this.clock.now());
  }

  /** One daemon wrote; the others on the same database are informed later. */
  #hint(from: SimDaemon, topicIds: readonly number[]): void {
    for (const to of this.daemons) {
      if (to === from) continue;
      for (const topicId of topicIds) {
        const topic = [...this.model.state.topics].find(([, { id }]) => id === topicId)?.[0];
        this.hints.push({ to, topic });
      }
    }
  }

  /** The same for every run of a seed. */
  digest(): string {
    return createHash('sha256')
      .update(this.trace.map((line) => `${line}\n`).join(''))
      .digest('hex');
  }

  commit(): boolean {
    return this.daemons.some((daemon) => daemon.commit());
  }

  close(): void {
    for (const daemon of this.daemons) daemon.kill();
    this.disk.close();
  }
}
