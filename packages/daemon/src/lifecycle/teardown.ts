/** What was started is stopped in reverse, once, whether the start failed half-way or all went well. */
export class Teardown {
  readonly #steps: { readonly name: string; readonly run: () => Promise<void> | void }[] = [];

  #running: Promise<void> | undefined;

  constructor(private readonly report: (name: string, error: unknown) => void) {}

  add(name: string, run: () => Promise<void> | void): void {
    this.#steps.push({ name, run });
  }

  /** Who asks again waits for the same end: a step must not begin before the one before it is done. */
  run(): Promise<void> {
    this.#running ??= this.#runAll();
    return this.#running;
  }

  async #runAll(): Promise<void> {
    for (let step = this.#steps.pop(); step; step = this.#steps.pop()) {
      try {
        await step.run();
      } catch (error) {
        this.report(step.name, error);
      }
    }
  }
}
