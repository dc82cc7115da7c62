import type { Tx } from '@stoa/store';
import type { Clock, Timers } from '../ports.js';
import type { Kernel } from './kernel.js';

/**
 * What queues of durable items have in common. The items are rows of the module that owns the queue; this file decides when
 * an item is due, what a failed attempt leads to, and when the module polls its table.
 *
 *   pending ──it is due: claimed, the attempt is counted──▶ claimed ──the attempt succeeds──▶ delivered
 *     ▲  └──it expires──▶ expired                              │
 *     │                                                        │ the attempt fails, or its daemon is gone
 *     ├──attempts are left: due again at `retryAt`─────────────┤
 *     └──replayed, attempts start again───── dead_letter ◀─────┘ no attempts are left
 */

interface Times {
  readonly availableAt: number;
  readonly expiresAt?: number | null | undefined;
}

/** When an item needs attention: it becomes available, or expires before that. */
export const dueAt = ({ availableAt, expiresAt }: Times): number =>
  Math.min(availableAt, expiresAt ?? Infinity);

export const hasExpired = ({ expiresAt }: Pick<Times, 'expiresAt'>, at: number): boolean =>
  (expiresAt ?? Infinity) <= at;

export interface RetryPolicy {
  readonly maxAttempts: number;
  /** How long to wait after a number of failed attempts, in milliseconds. */
  readonly backoff: (attempts: number) => number;
}

/** `firstMs` after the first failed attempt, and twice as long after each further one. */
export const doubling =
  (firstMs: number): RetryPolicy['backoff'] =>
  (attempts) =>
    firstMs * 2 ** (attempts - 1);

export const atOnce: RetryPolicy['backoff'] = () => 0;

/** What follows when an attempt fails at `at`; `attempts` includes the failed one. */
export function afterFailure(
  { maxAttempts, backoff }: RetryPolicy,
  attempts: number,
  at: number,
): { readonly retryAt: number } | 'dead_letter' {
  return attempts < maxAttempts ? { retryAt: at + backoff(attempts) } : 'dead_letter';
}

const RETRY_MS = 1_000;

interface Rounds {
  /** What the log of the daemon says when a round fails. */
  readonly failure: string;
  /** Handles a bounded number of due items. Resolves with whether more may be due that could succeed at once. */
  readonly work: () => Promise<boolean>;
  /**
   * When the next item is due. A time that is not after `now` means that items which the round could not handle are
   * still due; they are tried again after a second. Without it, items become due only by events.
   */
  readonly next?: (now: number) => Tx<number | null>;
}

/**
 * Polls a table of items when one is due.
 *
 *   waiting ──the alarm rings, poll()──▶ polling ──no more is due──▶ waiting, alarm set to the next due time
 *                                         │  ▲ └──the round fails──▶ waiting, alarm set to one second later
 *                                         └──┘ more is due
 *   any ──stop()──▶ stopped
 *
 * Items that another daemon writes set no alarm here; the owner of a queue also polls at long intervals to find them.
 */
export class DurableQueue {
  readonly #alarm: Alarm;
  #lastRound: Promise<void> = Promise.resolve();
  #nextRound: Promise<void> | undefined;

  constructor(
    private readonly kernel: Pick<Kernel, 'store' | 'clock' | 'timers' | 'diagnose'>,
    private readonly rounds: Rounds,
  ) {
    this.#alarm = new Alarm(kernel.clock, kernel.timers, () => void this.poll());
  }

  /** Runs a round, one at a time. Calls during a round share the round after it. Does not reject. */
  poll(): Promise<void> {
    this.#nextRound ??= this.#lastRound.then(() => {
      this.#nextRound = undefined;
      this.#lastRound = this.#round();
      return this.#lastRound;
    });
    return this.#nextRound;
  }

  /** An item was written that is due then. */
  changed(at: number): void {
    this.#alarm.setTo(at);
  }

  /** An event may have made items due. */
  soon(): void {
    this.changed(this.kernel.clock.now());
  }

  /** Resolves when the round under way is over; no other begins. */
  stop(): Promise<void> {
    this.#alarm.stop();
    return this.#nextRound ?? this.#lastRound;
  }

  async #round(): Promise<void> {
    if (this.#alarm.isStopped) return;
    this.#alarm.clear();
    const { clock, store, diagnose } = this.kernel;
    const { failure, work, next } = this.rounds;
    try {
      const now = clock.now();
      if (await work()) {
        this.soon();
        return;
      }
      const at = next ? await store.read(() => next(now)) : null;
      if (at !== null) this.changed(at > now ? at : clock.now() + RETRY_MS);
    } catch (error) {
      diagnose(failure, { error });
      this.changed(clock.now() + RETRY_MS);
    }
  }
}

/** Timers overflow at 25 days. One that rings early costs a round. */
const MAX_WAIT_MS = 3_600_000;

/** One timer, set to the earliest time that is known. */
class Alarm {
  #cancel: (() => void) | undefined;
  #at = Number.POSITIVE_INFINITY;
  #isStopped = false;

  constructor(
    private readonly clock: Clock,
    private readonly timers: Timers,
    private readonly ring: () => void,
  ) {}

  get isStopped(): boolean {
    return this.#isStopped;
  }

  setTo(at: number): void {
    if (this.#isStopped || at >= this.#at) return;
    this.#cancel?.();
    this.#at = at;
    const wait = Math.max(0, at - this.clock.now());
    this.#cancel = this.timers.after(Math.min(wait, MAX_WAIT_MS), this.ring);
  }

  clear(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#at = Number.POSITIVE_INFINITY;
  }

  stop(): void {
    this.#isStopped = true;
    this.clear();
  }
}
