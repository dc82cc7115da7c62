/**
 * Does one thing after the other. After one that failed nothing more is done: what comes later would
 * stand on it.
 */
export class InOrder {
  #last: Promise<unknown> = Promise.resolve();
  #failure: { readonly error: unknown } | undefined;
  #length = 0;

  constructor(private readonly failed: (error: unknown) => void) {}

  /** How many wait. */
  get length(): number {
    return this.#length;
  }

  add<T>(work: () => Promise<T>): Promise<T> {
    this.#length += 1;
    const done = this.#last.then(async () => {
      this.#length -= 1;
      if (this.#failure) throw this.#failure.error;
      try {
        return await work();
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
