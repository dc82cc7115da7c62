import type { Clock } from '@stoa/core';

/** Time passes when the test says so, and may go back as the time of a real machine may. */
export class VirtualClock implements Clock {
  #now: number;

  constructor(start: number) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  /** Negative goes back, never before the epoch. */
  move(milliseconds: number): void {
    this.#now = Math.max(0, this.#now + milliseconds);
  }
}
