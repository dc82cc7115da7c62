const BURST = 5;
const REFILL_MS = 1_000;

/**
 * How often something may happen: a burst at once, then one a second. The clock may jump: back costs
 * nothing that was saved up and refilling goes on from there, forward fills it and no more.
 */
export class TokenBucket {
  #tokens = BURST;
  #filledAt: number;

  constructor(now: number) {
    this.#filledAt = now;
  }

  /** Whether it may happen now; if so, it counts. */
  take(now: number): boolean {
    this.#refill(now);
    if (this.#tokens === 0) return false;
    this.#tokens -= 1;
    return true;
  }

  #refill(now: number): void {
    if (now < this.#filledAt) this.#filledAt = now;
    const fresh = Math.floor((now - this.#filledAt) / REFILL_MS);
    if (this.#tokens + fresh >= BURST) {
      this.#tokens = BURST;
      this.#filledAt = now;
      return;
    }
    this.#tokens += fresh;
    this.#filledAt += fresh * REFILL_MS;
  }
}
