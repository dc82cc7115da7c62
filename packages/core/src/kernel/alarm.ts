import type { Clock, Timers } from '../ports.js';

/** A timer that is set too far ahead would overflow; looking too early costs a query. */
const LONGEST_MS = 3_600_000;

/** One timer, set to the earliest time that is known. */
export class Alarm {
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
    this.#cancel = this.timers.after(Math.min(wait, LONGEST_MS), this.ring);
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
