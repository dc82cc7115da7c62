/** Short enough that other work of this thread is not delayed noticeably. */
const SLICE_MS = 8;

/** Lets long work yield the thread every few milliseconds. */
export class Pace {
  #last = performance.now();
  #restedMs = 0;

  /** The total time of all rests. */
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
