const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** Rejects when a benchmark is interrupted, or takes too long. */
export class Ended {
  readonly reason: Promise<never>;
  readonly #timer: NodeJS.Timeout;
  #reject: (error: Error) => void = () => undefined;

  constructor(seconds: number) {
    this.reason = new Promise((_, reject) => {
      this.#reject = reject;
    });
    this.#timer = setTimeout(() => {
      this.#reject(new Error(`not done after ${seconds} s`));
    }, seconds * 1000);
    for (const signal of SIGNALS) process.on(signal, this.#onSignal);
  }

  forget(): void {
    clearTimeout(this.#timer);
    for (const signal of SIGNALS) process.off(signal, this.#onSignal);
  }

  readonly #onSignal = (signal: NodeJS.Signals): void => {
    this.#reject(new Error(`ended by ${signal}`));
  };
}
