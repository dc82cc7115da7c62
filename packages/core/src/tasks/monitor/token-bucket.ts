const BURST = 5;
const REFILL_MS = 1_000;

/**
 * Allows a burst at once and then one event per second. If the clock goes back, tokens are kept and refilling continues from
 * there.
 */
export class TokenBucket {
  #tokens = BURST;
  #filledAt: number;

  constructor(now: number) {
    this.#filledAt = now;
  }

  /** Takes a token, if there is one. */
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
