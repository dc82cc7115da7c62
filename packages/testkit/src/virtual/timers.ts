import type { Timers } from '@stoa/core';
import type { VirtualClock } from './clock.js';

/** Timers that go off when the test lets time pass, in the order of their times. */
export class VirtualTimers implements Timers {
  readonly #waiting = new Set<{ readonly at: number; readonly callback: () => void }>();

  constructor(private readonly clock: VirtualClock) {}

  after(milliseconds: number, callback: () => void): () => void {
    const timer = { at: this.clock.now() + milliseconds, callback };
    this.#waiting.add(timer);
    return () => {
      this.#waiting.delete(timer);
    };
  }

  get count(): number {
    return this.#waiting.size;
  }

  /** Lets time pass. */
  advance(milliseconds: number): void {
    const end = this.clock.now() + milliseconds;
    for (;;) {
      const [next] = [...this.#waiting].sort((a, b) => a.at - b.at);
      if (!next || next.at > end) break;
      this.#waiting.delete(next);
      this.clock.move(Math.max(0, next.at - this.clock.now()));
      next.callback();
    }
    this.clock.move(end - this.clock.now());
  }
}
