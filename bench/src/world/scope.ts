type Ending = () => unknown;

/** What was opened is ended in reverse, once, however the benchmark ends. */
export class Scope {
  readonly #endings: Ending[] = [];

  defer(ending: Ending): void {
    this.#endings.push(ending);
  }

  /** A part of the benchmark whose things end with it, and with this scope at the latest. */
  async within<T>(body: (inner: Scope) => Promise<T>): Promise<T> {
    const inner = new Scope();
    this.defer(() => inner.end());
    try {
      return await body(inner);
    } finally {
      await inner.end();
    }
  }

  async end(): Promise<void> {
    for (let ending = this.#endings.pop(); ending; ending = this.#endings.pop()) {
      try {
        await ending();
      } catch (error) {
        console.error('could not clean up:', error);
      }
    }
  }
}
