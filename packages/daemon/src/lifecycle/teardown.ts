/** Stops everything that was started in reverse order, once, also after a failed start. */
export class Teardown {
  readonly #steps: { readonly name: string; readonly run: () => Promise<void> | void }[] = [];

  #running: Promise<void> | undefined;

  constructor(private readonly report: (name: string, error: unknown) => void) {}

  add(name: string, run: () => Promise<void> | void): void {
    this.#steps.push({ name, run });
  }

  /** Repeated calls wait for the same end: a step must not begin before the previous one has finished. */
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
