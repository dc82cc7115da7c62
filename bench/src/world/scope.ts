type Ending = () => unknown;

/** What was opened is ended in reverse, once, however the benchmark ends. */
export class Scope {
  readonly #endings: Ending[] = [];

  defer(ending: Ending): void {
    this.#endings.push(ending);
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
