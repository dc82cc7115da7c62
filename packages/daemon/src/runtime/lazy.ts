import type { Driver, DriverEnd, RunContext, TaskExecutor } from '@stoa/core';
import type { DriverCapabilities, DriverKind } from '@stoa/protocol';

/** A driver that is loaded with its first run, so that a daemon without agents does not load it. */
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

/** The executor of a kind of task, loaded when it is first needed. `loaded` returns it if it is loaded. */
export function lazyExecutor(
  load: () => Promise<TaskExecutor>,
  loaded: () => TaskExecutor | undefined,
): TaskExecutor {
  return {
    start: async (task) => (await load()).start?.(task),
    stop: async (task, by) => (await load()).stop(task, by),
    send: async (task, message) => (await load()).send?.(task, message),
    resume: async (task) => (await load()).resume?.(task),
    reattach: async (task) => (await load()).reattach(task),
    read: async (task, range) => (await load()).read?.(task, range),
    // Before it is loaded, it has started nothing.
    foreground: () => loaded()?.foreground?.() ?? [],
    promote: async (task) => (await load()).promote?.(task),
    forget: async (task) => (await load()).forget?.(task),
  };
}
