import { setTimeout as delay } from 'node:timers/promises';

/** How long somebody who reads along is given; nobody waits for who is in a hurry. */
export class Pace {
  constructor(
    private readonly isFast: boolean,
    private readonly signal: AbortSignal,
  ) {}

  /** To read a text of this length. */
  read(text: string): Promise<void> {
    return this.wait(Math.min(9_000, 1_500 + text.length * 28));
  }

  async wait(ms: number): Promise<void> {
    this.signal.throwIfAborted();
    if (!this.isFast) await delay(ms, undefined, { signal: this.signal });
  }
}
