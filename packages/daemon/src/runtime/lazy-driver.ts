import type { Driver, DriverEnd, RunContext } from '@stoa/core';
import type { DriverCapabilities, DriverKind } from '@stoa/protocol';

/** A driver that is loaded with its first run: a daemon without agents does not pay for them. */
export class LazyDriver implements Driver {
  #loaded: Promise<Driver> | undefined;

  constructor(
    readonly kind: DriverKind,
    readonly capabilities: DriverCapabilities,
    private readonly load: () => Promise<Driver>,
  ) {}

  async execute(run: RunContext): Promise<DriverEnd> {
    this.#loaded ??= this.load();
    return (await this.#loaded).execute(run);
  }

  forget(sessionId: string): void {
    this.#loaded?.then(
      (driver) => {
        driver.forget(sessionId);
      },
      () => undefined,
    );
  }

  async close(): Promise<void> {
    const driver = await this.#loaded?.catch(() => undefined);
    await driver?.close();
  }
}
