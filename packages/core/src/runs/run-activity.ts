import { findChannelSettings, setSessionActive } from '@stoa/store';
import { policyOf, settingsOf } from '../channels/channel-settings.js';
import type { Timers } from '../ports.js';
import type { SessionContext } from '../sessions/context.js';
import type { Claim } from './ownership.js';

/** It is recorded several times within the shortest time after which a run counts as silent. */
const RECORDS_PER_LIMIT = 4;
const LONGEST_PERIOD_MS = 10_000;

/**
 * Records that a run which has the turn in a channel is at work although nothing is written to its journal: text
 * arrives, or a tool runs. So its lease is renewed, and only silence ends it.
 *
 *   idle ──something happens──▶ recorded at once, then at most once a period while something happens
 *     └──a call begins──▶ recorded once a period until its result
 *
 * What could not be stored is dropped: the next record tells the same.
 */
export class RunActivity {
  readonly #openCalls = new Set<string>();
  #periodMs: number | undefined;
  #lastAt: number | undefined;
  #recordedAt = Number.NEGATIVE_INFINITY;
  #callOff: (() => void) | undefined;

  constructor(
    private readonly ports: { readonly context: SessionContext; readonly timers: Timers },
    private readonly claim: Claim,
  ) {}

  /** Nothing is recorded of runs that have no turn. */
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
    if (this.#periodMs !== undefined && !this.#callOff) this.#record(this.#periodMs);
  }

  end(): void {
    this.#periodMs = undefined;
    this.#callOff?.();
    this.#callOff = undefined;
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
          context.diagnose('that a run is at work could not be recorded', { error });
        });
    } else if (this.#openCalls.size === 0) {
      this.#callOff = undefined;
      return;
    }
    this.#callOff = timers.after(periodMs, () => {
      this.#record(periodMs);
    });
  }
}
