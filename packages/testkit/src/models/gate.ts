import { until } from '../time/until.js';

/**
 * Holds what a server sends until a test lets it go, so that "slow" needs no clock: each chunk takes
 * one permit, in the order in which they arrived.
 */
export class Gate {
  #permits = 0;
  #open = false;
  #arrivals = 0;
  readonly #held = new Set<() => void>();

  /** Resolves when this one may pass, or when `left` is aborted because nobody waits for it any more. */
  async pass(left: AbortSignal): Promise<void> {
    this.#arrivals += 1;
    if (this.#open || left.aborted) return;
    if (this.#permits > 0) {
      this.#permits -= 1;
      return;
    }
    await new Promise<void>((resolve) => {
      const go = (): void => {
        this.#held.delete(go);
        left.removeEventListener('abort', go);
        resolve();
      };
      this.#held.add(go);
      left.addEventListener('abort', go);
    });
  }

  /** Lets that many through: those that wait already, or the next ones to come. */
  release(chunks = 1): void {
    const going = [...this.#held].slice(0, chunks);
    this.#permits += chunks - going.length;
    for (const go of going) go();
  }

  /** From now on nothing is held. */
  open(): void {
    this.#open = true;
    for (const go of [...this.#held]) go();
  }

  /** Resolves when that many have come to the gate, whether they passed or are held. */
  async reached(chunks = 1): Promise<void> {
    await until(`${chunks} chunks have reached the gate`, () => this.#arrivals >= chunks);
  }
}

export function gate(): Gate {
  return new Gate();
}
