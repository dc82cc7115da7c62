/** Long enough to get work done, short enough that nobody who waits for this thread notices. */
const SLICE_MS = 8;

/** Gives the thread to others every few milliseconds of long work. */
export class Pace {
  #last = performance.now();
  #restedMs = 0;

  /** How long others have had the thread. */
  get restedMs(): number {
    return this.#restedMs;
  }

  get isDue(): boolean {
    return performance.now() - this.#last >= SLICE_MS;
  }

  async rest(): Promise<void> {
    const began = performance.now();
    await new Promise<void>((resolve) => setImmediate(resolve));
    this.#last = performance.now();
    this.#restedMs += this.#last - began;
  }
}
