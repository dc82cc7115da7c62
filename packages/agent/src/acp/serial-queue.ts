/** Runs one task after the other. After a failure it runs none: later tasks depend on the earlier ones. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();
  #failure: { readonly error: unknown } | undefined;
  #length = 0;

  constructor(private readonly failed: (error: unknown) => void) {}

  /** How many tasks wait. */
  get length(): number {
    return this.#length;
  }

  add<T>(task: () => Promise<T>): Promise<T> {
    this.#length += 1;
    const done = this.#last.then(async () => {
      this.#length -= 1;
      if (this.#failure) throw this.#failure.error;
      try {
        return await task();
      } catch (error) {
        this.#failure = { error };
        this.failed(error);
        throw error;
      }
    });
    this.#last = done.catch(() => undefined);
    return done;
  }
}
