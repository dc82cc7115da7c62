import { type AutonomyPolicy, DEFAULT_AUTONOMY_POLICY, type PostMessage } from '@stoa/protocol';
import { OWNER } from '../runtime/runtime-world.js';
import { violated } from '../simulation/failure.js';
import { blankImage, type Planted, SimulatedHistory, settled } from '../simulation/kernel.js';
import { ScratchStores } from '../simulation/scratch-stores.js';
import { VirtualDisk } from '../simulation/virtual-disk.js';
import type { SeededRandom } from '../virtual/random.js';
import type { Audience } from './sim-speaker.js';
import { TurnHost } from './turn-host.js';
import { TurnLedger } from './turn-ledger.js';

export const CHANNEL = 'team';
/** Errors that callers may get when operations are concurrent. */
const EXPECTED = new Set([
  'approval_settled',
  'channel_archived',
  'turn_in_progress',
  'idempotency_conflict',
  'invalid_stimulus',
  'limit_reached',
  'member_not_found',
  'message_deleted',
  'message_not_found',
  'not_member',
  'run_not_found',
  'session_ended',
  'stimulus_settled',
  'too_many_stimuli',
  'unknown_member',
]);

const scratch = new ScratchStores();

/** Least and most. */
export interface HistorySize {
  readonly steps: readonly [number, number];
  readonly members: readonly [number, number];
}

/** A post as a person means it; it may be sent more than once. */
export interface Post {
  readonly key: string;
  readonly request: PostMessage;
}

/** One history: a daemon that starts and stops, people and agents in a channel, and readers. */
export class TurnWorld extends SimulatedHistory {
  readonly disk = new VirtualDisk(blankImage());
  readonly policy: AutonomyPolicy;
  readonly ledger: TurnLedger;
  /** Names of members with their sessions, including members who left. */
  readonly sessions = new Map<string, string>();
  readonly posts: Post[] = [];
  /** What people were given to do beside the channel. */
  otherWork = 0;
  isEnding = false;
  host: TurnHost;
  #lives = 0;

  constructor(
    seed: number,
    private readonly planted: Planted,
  ) {
    super(seed, Date.UTC(2026, 0, 5, 9), EXPECTED);
    this.policy = anyPolicy(this.random);
    this.ledger = new TurnLedger(this.disk, this.policy);
    this.host = this.#newHost();
  }

  get core() {
    return this.host.core;
  }

  async open({ members }: HistorySize): Promise<void> {
    await this.soon(this.host.begin());
    const { channels, sessions } = this.core;
    const { policy } = this;
    await this.soon(
      channels.create(OWNER, { channelId: CHANNEL, title: 'Team', autonomyPolicy: policy }),
    );
    const count = this.random.between(...members);
    for (let i = 0; i < count; i++) {
      const { sessionId } = await this.soon(sessions.create(OWNER, { agentId: 'agent' }));
      this.sessions.set(`agent-${String(i)}`, sessionId);
    }
    for (const [name, sessionId] of this.sessions) {
      const mode = this.random.chance(0.4) ? this.random.pick(MODES) : 'selected_only';
      const member = { actorId: `session:${sessionId}`, memberId: name, displayName: name };
      await this.soon(
        channels.upsertMember(OWNER, CHANNEL, { ...member, participationMode: mode }),
      );
    }
  }

  /** Commits what waits, and judges it. Returns whether there was something. */
  commit(): boolean {
    const did = this.host.commit();
    if (did) this.ledger.catchUp();
    return did;
  }

  close(): void {
    this.host.kill();
    this.disk.close();
  }

  /** Runs everything that can continue without agents, people and time. */
  async settle(): Promise<void> {
    do await this.wake();
    while (this.commit());
    this.check();
  }

  /** Timers that are due go off. */
  async wake(): Promise<void> {
    await settled();
    this.host.timers.advance(0);
    await settled();
  }

  /** The process ends, wherever it is, and another one begins with what is stored. */
  async restart(): Promise<void> {
    if (this.ledger.stimuli.claimed.length > 0) this.saw('a claim was cut off');
    this.host.kill();
    this.host = this.#newHost();
    await this.soon(this.host.begin());
  }

  pass(milliseconds: number): void {
    this.clock.move(milliseconds);
    this.host.timers.advance(0);
  }

  check(): void {
    this.assertUnviolated();
    if (this.ledger.sessions.otherRuns > this.otherWork) {
      violated('a session was given work that nobody asked for', { asked: this.otherWork });
    }
  }

  #newHost(): TurnHost {
    this.#lives += 1;
    return new TurnHost(`daemon-${String(this.#lives)}`, {
      db: this.disk.db,
      clock: this.clock,
      ids: this.ids,
      secrets: this.secrets,
      planted: this.planted,
      openScratch: () => scratch.open(),
      report: this.report,
      audience: this.#audience(),
    });
  }

  #audience(): Omit<Audience, 'pace'> {
    return {
      random: this.random,
      isEnding: () => this.isEnding,
      names: () => [...this.sessions.keys(), 'owner'],
      saw: (what) => {
        this.saw(what);
      },
      fail: this.fail,
      react: async (sessionId, messageId) => {
        const by = { kind: 'session', id: sessionId, credentialId: 's' } as const;
        try {
          await this.core.channels.react(by, CHANNEL, messageId, { emoji: '👍' });
        } catch (error) {
          if (!this.isExpected(error)) throw error;
        }
      },
    };
  }
}

export const MODES = ['manual_only', 'selected_only', 'prefer_selected', 'always_listen'] as const;

function anyPolicy(random: SeededRandom): AutonomyPolicy {
  return {
    ...DEFAULT_AUTONOMY_POLICY,
    maxParallelPublicSpeakers: random.between(1, 3),
    maxAgentRepliesPerHumanMessage: random.between(1, 4),
    maxStartedRunsPerHumanMessage: random.between(1, 6),
    memberCooldownMs: random.pick([0, 3_000, 15_000]),
    leaseTimeoutMs: 10_000,
    claimTimeoutMs: 5_000,
    silenceLimitMs: 30_000,
    maxPendingStimuli: random.pick([2, 4]),
    maxAgentRepliesPerStimulus: random.between(1, 2),
    maxAutonomousRepliesSinceHuman: random.pick([1, 3, 12]),
    maxAutonomousRootPostsPerHour: random.pick([2, 8]),
    maxActiveAutonomousRoots: random.between(1, 3),
    quietPeriodMsAfterRootPost: random.pick([0, 8_000]),
    ...(random.chance(0.2) ? { tokensPerTurn: 80 } : {}),
  };
}
