import { findChannelSettings, setSessionActive } from '@stoa/store';
import { policyOf, settingsOf } from '../channels/channel-settings.js';
import type { Timers } from '../ports.js';
import type { SessionContext } from '../sessions/context.js';
import type { Claim } from './ownership.js';

/** Activity is recorded several times within the shortest time after which a run counts as silent. */
const RECORDS_PER_LIMIT = 4;
const LONGEST_PERIOD_MS = 10_000;

/**
 * Records that a run with a turn in a channel is active although nothing is written to its journal: text arrives, or a tool
 * runs. This renews its lease; only silence ends it.
 *
 *   idle ──something happens──▶ recorded at once, then at most once a period while something happens
 *     └──a call begins──▶ recorded once a period until its result
 *
 * A record that could not be stored is dropped: the next one replaces it.
 */
export class RunActivity {
  readonly #openCalls = new Set<string>();
  #periodMs: number | undefined;
  #lastAt: number | undefined;
  #recordedAt = Number.NEGATIVE_INFINITY;
  #cancelTimer: (() => void) | undefined;

  constructor(
    private readonly ports: { readonly context: SessionContext; readonly timers: Timers },
    private readonly claim: Claim,
  ) {}

  /** Runs without a turn record nothing. */
  async begin(): Promise<void> {
    const { kind, origin } = this.claim;
    const { channelId } = origin;
    if (kind !== 'channel_delivery' || channelId === undefined) return;
    const { store } = this.ports.context;
    const row = await store.read(() => findChannelSettings.first({ channelId }));
    const { leaseTimeoutMs, silenceLimitMs } = policyOf(settingsOf(row?.settings ?? '{}'));
    const limitMs = Math.min(leaseTimeoutMs, silenceLimitMs);
    this.#periodMs = Math.min(limitMs / RECORDS_PER_LIMIT, LONGEST_PERIOD_MS);
    if (this.#openCalls.size > 0) this.touch();
  }

  callBegan(callId: string): void {
    this.#openCalls.add(callId);
    this.touch();
  }

  callEnded(callId: string): void {
    this.#openCalls.delete(callId);
  }

  touch(): void {
    this.#lastAt = this.ports.context.clock.now();
    if (this.#periodMs !== undefined && !this.#cancelTimer) this.#record(this.#periodMs);
  }

  end(): void {
    this.#periodMs = undefined;
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  #record(periodMs: number): void {
    const { context, timers } = this.ports;
    const at = this.#openCalls.size > 0 ? context.clock.now() : this.#lastAt;
    if (at !== undefined && at > this.#recordedAt) {
      this.#recordedAt = at;
      const { session, epoch } = this.claim;
      const { topicId, ownerId } = session;
      context.store
        .transact(() => setSessionActive.run({ topicId, daemonId: ownerId ?? '', epoch, at }))
        .catch((error: unknown) => {
          context.diagnose('the activity of a run could not be recorded', { error });
        });
    } else if (this.#openCalls.size === 0) {
      this.#cancelTimer = undefined;
      return;
    }
    this.#cancelTimer = timers.after(periodMs, () => {
      this.#record(periodMs);
    });
  }
}
