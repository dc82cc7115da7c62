import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { type Caller, callerOf } from '../daemon/caller.js';
import type { DaemonPlace } from '../daemon/daemon-engines.js';
import { cleanEnvironment, PROGRAM, type TestDaemon } from '../daemon/start-daemon.js';
import { LiveSocket } from '../live/live-socket.js';
import { until } from '../time/until.js';
import { SeededRandom } from '../virtual/random.js';
import { type Acknowledged, type Logged, Oracle, type Post } from './oracle.js';

export interface CampaignOptions {
  readonly place: DaemonPlace;
  readonly kills: number;
  readonly seed: number;
}

export interface CampaignReport {
  readonly kills: number;
  readonly killsWhileStarting: number;
  readonly acknowledged: number;
}

const CHANNELS = ['first', 'second'] as const;
const CLIENTS = 6;
const LONGEST_ROUND_MS = 200;
const CHECK_EVERY = 25;

/**
 * Posts to the real program and kills it, again and again. After each restart the unknown outcomes
 * are asked for again with their keys, and the logs are compared with what was acknowledged.
 */
export async function runKillCampaign({
  place,
  kills,
  seed,
}: CampaignOptions): Promise<CampaignReport> {
  const random = new SeededRandom(seed);
  const campaign = new Campaign(random);
  let killsWhileStarting = 0;
  let daemon = await place.start();
  await campaign.makeChannels(daemon);
  for (let kill = 1; kill <= kills; kill++) {
    await campaign.round(daemon, 5 + random.below(LONGEST_ROUND_MS));
    if (random.below(6) === 0 && kill < kills) {
      await killWhileStarting(place, random.below(300));
      killsWhileStarting += 1;
      kill += 1;
    }
    daemon = await place.start();
    await campaign.compare(daemon);
    if (kill % CHECK_EVERY === 0 || kill >= kills) await assertIntact(daemon);
  }
  await campaign.settle(daemon);
  await daemon.stop();
  return { kills, killsWhileStarting, acknowledged: campaign.oracle.acknowledgedCount };
}

class Campaign {
  readonly oracle = new Oracle();
  readonly #unknown: Post[] = [];
  readonly #live: number[] = [];
  #made = 0;

  constructor(private readonly random: SeededRandom) {}

  async makeChannels(daemon: TestDaemon): Promise<void> {
    for (const channelId of CHANNELS) {
      const made = await callerOf(daemon.url, daemon.token).post('/v1/channels', {
        channelId,
        title: channelId,
      });
      if (made.status !== 201) throw new Error(made.text);
    }
  }

  /** Load from several clients, a live reader, and the kill in the middle of it. */
  async round(daemon: TestDaemon, lengthMs: number): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
    const reader = await LiveSocket.open(daemon.url, { token: daemon.token });
    reader.say({ type: 'subscribe', topic: `channel:${CHANNELS[0]}`, after: this.#live.length });
    const caller = callerOf(daemon.url, daemon.token, agent);
    let over = false;
    const clients = Array.from({ length: CLIENTS }, async () => {
      while (!over) await this.#post(caller, this.#next());
    });
    await delay(lengthMs);
    await daemon.kill();
    over = true;
    await Promise.all(clients);
    await reader.ended();
    this.#live.push(...reader.events().map((event) => event.seq));
    agent.destroy();
  }

  /** Reads on in every log from where the last comparison ended. */
  async compare(daemon: TestDaemon): Promise<void> {
    const caller = callerOf(daemon.url, daemon.token);
    for (const channelId of CHANNELS) {
      for (;;) {
        const path = `/v1/topics/channel:${channelId}/events?limit=200&after=${String(this.oracle.headOf(channelId))}`;
        const { json } = await caller.get<{ events: Logged[]; head: number }>(path);
        this.oracle.read(channelId, json.events);
        if (this.oracle.headOf(channelId) >= json.head) break;
      }
    }
    this.oracle.assertNothingLost();
  }

  /** Every outcome becomes known, and the live reader gets what it missed: each event once, in order. */
  async settle(daemon: TestDaemon): Promise<void> {
    const caller = callerOf(daemon.url, daemon.token);
    for (let post = this.#unknown.pop(); post; post = this.#unknown.pop())
      await this.#post(caller, post);
    await this.compare(daemon);
    const reader = await LiveSocket.open(daemon.url, { token: daemon.token });
    await reader.subscribe(`channel:${CHANNELS[0]}`, this.#live.length);
    const missing = this.oracle.headOf(CHANNELS[0]) - this.#live.length;
    await until('the reader has caught up', () => reader.events().length >= missing);
    this.#live.push(...reader.events().map((event) => event.seq));
    await reader.close();
    const wrong = this.#live.findIndex((seq, index) => seq !== index + 1);
    if (wrong !== -1)
      throw new Error(
        `the live reader got ${String(this.#live[wrong])} as event ${String(wrong + 1)}`,
      );
  }

  /** Unknown outcomes first, with the key they had. */
  #next(): Post {
    const again = this.#unknown.shift();
    if (again) return again;
    this.#made += 1;
    const name = `message ${String(this.#made)}`;
    return { key: name.replace(' ', '-'), channelId: this.random.pick(CHANNELS), text: name };
  }

  async #post(caller: Caller, post: Post): Promise<void> {
    try {
      const answer = await caller.post<Acknowledged>(
        `/v1/channels/${post.channelId}/messages`,
        { text: post.text },
        { headers: { 'idempotency-key': post.key } },
      );
      if (answer.status !== 201) throw new Error(`${String(answer.status)} ${answer.text}`);
      this.oracle.acknowledge(post, answer.json);
    } catch (error) {
      if (error instanceof Error && !('code' in error)) throw error;
      this.#unknown.push(post);
    }
  }
}

/** The program dies before it is ready, wherever it happens to be: locking, migrating, recovering. */
async function killWhileStarting(place: DaemonPlace, afterMs: number): Promise<void> {
  const database = place.databaseUrl === undefined ? {} : { STOA_DATABASE_URL: place.databaseUrl };
  const child = spawn(process.execPath, [PROGRAM, 'serve'], {
    env: { ...cleanEnvironment(), STOA_HOME: place.home, STOA_PORT: '0', ...database },
    stdio: 'ignore',
  });
  const gone = once(child, 'exit');
  await delay(afterMs);
  child.kill('SIGKILL');
  await gone;
}

async function assertIntact(daemon: TestDaemon): Promise<void> {
  const { json } = await callerOf(daemon.url, daemon.token).post<{
    ok: boolean;
    problems: string[];
  }>('/v1/checks');
  if (!json.ok) throw new Error(`the store is damaged: ${json.problems.join('; ')}`);
}
