import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { callerOf } from '../daemon/caller.js';
import type { TestDirectory } from '../daemon/daemon-engines.js';
import { assertIntact } from '../daemon/integrity.js';
import type { TestDaemon } from '../daemon/start-daemon.js';
import { cleanEnvironment, PROGRAM } from '../daemon/start-daemon.js';
import { SeededRandom } from '../virtual/random.js';
import { Load } from './load.js';
import { type Logged, Oracle } from './oracle.js';

export interface CampaignOptions {
  readonly directory: TestDirectory;
  /** Of both kinds together. */
  readonly kills: number;
  readonly seed: number;
}

export interface CampaignReport {
  /** While people posted. */
  readonly killsUnderLoad: number;
  /** While it started: before it was ready, or hardly after. */
  readonly killsOfStarts: number;
  /** Of these, those that came before it was ready. */
  readonly killsBeforeReady: number;
  readonly acknowledged: number;
}

const CHANNELS = ['first', 'second', 'third'];
const ROUND_MS = { least: 5, most: 120 };
const LONGEST_WAIT_MS = 5_000;
const LONGEST_START_MS = 400;
const KILLS_BEFORE_FIRST_START = 3;
const CHECK_EVERY = 25;

/**
 * Posts to the real program and kills it, again and again. After each restart the unknown outcomes
 * are asked for again with their keys, and the logs are compared with what was acknowledged.
 */
export async function runKillCampaign(options: CampaignOptions): Promise<CampaignReport> {
  const campaign = new Campaign(options);
  try {
    return await campaign.run();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(
      `after ${String(campaign.kills)} kills with seed ${String(options.seed)}: ${why}
      again: STOA_SEED=${String(options.seed)} npx vitest run tests/kill.test.ts`,
      { cause: error },
    );
  }
}

class Campaign {
  readonly #random: SeededRandom;
  readonly #oracle = new Oracle();
  readonly #load: Load;
  #killsUnderLoad = 0;
  #killsOfStarts = 0;
  #killsBeforeReady = 0;

  constructor(private readonly options: CampaignOptions) {
    this.#random = new SeededRandom(options.seed);
    this.#load = new Load(CHANNELS, this.#oracle, this.#random);
  }

  get kills(): number {
    return this.#killsUnderLoad + this.#killsOfStarts;
  }

  report(): CampaignReport {
    return {
      killsUnderLoad: this.#killsUnderLoad,
      killsOfStarts: this.#killsOfStarts,
      killsBeforeReady: this.#killsBeforeReady,
      acknowledged: this.#oracle.acknowledged.length,
    };
  }

  async run(): Promise<CampaignReport> {
    const { directory, kills } = this.options;
    for (let i = 0; i < KILLS_BEFORE_FIRST_START; i++) await this.#killWhileStarting();
    let daemon = await directory.start();
    await makeChannels(daemon);
    while (this.kills < kills) {
      const length = this.#random.between(ROUND_MS.least, ROUND_MS.most);
      // On a slow machine most would otherwise come before anything was acknowledged.
      const waits = this.#random.chance(0.8);
      await this.#load.run(daemon, async (answered) => {
        if (waits)
          await Promise.race([answered, delay(LONGEST_WAIT_MS, undefined, { ref: false })]);
        await delay(length);
        await daemon.kill();
      });
      this.#killsUnderLoad += 1;
      if (this.#random.chance(0.2) && this.kills < kills) await this.#killWhileStarting();
      daemon = await directory.start();
      await this.#compare(daemon);
      if (this.#killsUnderLoad % CHECK_EVERY === 0) await assertIntact(daemon);
    }
    await this.#end(daemon);
    return this.report();
  }

  async #killWhileStarting(): Promise<void> {
    const after = this.#random.below(LONGEST_START_MS);
    if (await killWhileStarting(this.options.directory, after)) this.#killsBeforeReady += 1;
    this.#killsOfStarts += 1;
  }

  /** Reads on in every log from where the last comparison ended. */
  async #compare(daemon: TestDaemon): Promise<void> {
    const caller = callerOf(daemon.url, daemon.token);
    for (const channelId of CHANNELS) {
      for (let head = Number.POSITIVE_INFINITY; this.#oracle.headOf(channelId) < head; ) {
        const after = String(this.#oracle.headOf(channelId));
        const path = `/v1/topics/channel:${channelId}/events?limit=200&after=${after}`;
        const { json } = await caller.get<{ events: Logged[]; head: number }>(path);
        for (const { seq, type, data } of json.events) {
          this.#oracle.read(channelId, { seq, type, data });
        }
        head = json.head;
      }
    }
    this.#oracle.assertKept();
  }

  /** Resolves every outcome, reads everything once more, and lets the reader catch up. */
  async #end(daemon: TestDaemon): Promise<void> {
    await this.#load.settle(daemon);
    this.#oracle.readAgain();
    await this.#compare(daemon);
    await this.#load.run(daemon, async () => {
      await delay(ROUND_MS.most);
      await daemon.stop();
    });
    const last = await this.options.directory.start();
    await this.#load.settle(last);
    await this.#compare(last);
    await this.#assertAssets(last);
    await assertIntact(last);
    await last.stop();
  }

  async #assertAssets(daemon: TestDaemon): Promise<void> {
    const caller = callerOf(daemon.url, daemon.token);
    for (const { post, answer } of this.#oracle.acknowledged) {
      const assetId = answer.inputItems[1]?.assetId;
      if (assetId === undefined) continue;
      const { text } = await caller.get(`/v1/assets/${assetId}/raw`);
      if (text !== post.asset) throw new Error(`the asset of "${post.text}" is lost: ${text}`);
    }
  }
}

async function makeChannels(daemon: TestDaemon): Promise<void> {
  const caller = callerOf(daemon.url, daemon.token);
  for (const channelId of CHANNELS) {
    const made = await caller.post('/v1/channels', { channelId, title: channelId });
    if (made.status !== 201) throw new Error(made.text);
  }
}

/**
 * Kills the program while it starts: locking, migrating, recovering. Returns whether it was killed before it was ready.
 */
async function killWhileStarting(directory: TestDirectory, afterMs: number): Promise<boolean> {
  const database =
    directory.databaseUrl === undefined ? {} : { STOA_DATABASE_URL: directory.databaseUrl };
  const child = spawn(process.execPath, [PROGRAM, 'serve'], {
    env: {
      ...cleanEnvironment(),
      STOA_HOME: directory.home,
      STOA_PORT: '0',
      STOA_LOBBY: 'off',
      ...database,
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    printed += chunk;
  });
  const exited = once(child, 'exit');
  await delay(afterMs);
  child.kill('SIGKILL');
  const [code] = (await exited) as [number | null];
  if (code !== null) throw new Error(`the program ended by itself with ${String(code)}`);
  return !printed.includes('Stoa is ready');
}
