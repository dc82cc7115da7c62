import { openScratchStore, type ScratchStore } from '@stoa/store';

/** Stores to replay a log into. Opening one costs more than emptying it, so they are used again. */
export class ScratchStores {
  readonly #idle: ScratchStore[] = [];

  open(): ScratchStore {
    const store = this.#idle.pop() ?? create();
    return {
      engine: store.engine,
      engineVersion: store.engineVersion,
      schemaVersion: store.schemaVersion,
      warnings: store.warnings,
      transact: (body, options) => store.transact(body, options),
      read: (body) => store.read(body),
      exclusively: (name, work) => store.exclusively(name, work),
      integrityProblems: () => store.integrityProblems(),
      backupTo: (path) => store.backupTo(path),
      empty: () => {
        store.empty();
      },
      close: () => {
        store.empty();
        this.#idle.push(store);
        return Promise.resolve();
      },
    };
  }
}

function create(): ScratchStore {
  const schedule = (flush: () => void): void => {
    flush();
  };
  return openScratchStore(':memory:', { ports: { schedule } });
}
