import { CHANNEL_PROJECTIONS, SESSION_PROJECTIONS, SqliteStore, type Store } from '@stoa/store';
import Database from 'better-sqlite3';

/** Stores to replay a log into. Opening one costs more than emptying it, so they are used again. */
export class ScratchStores {
  readonly #idle: { db: Database.Database; store: SqliteStore }[] = [];

  open(): Store {
    const scratch = this.#idle.pop() ?? create();
    const { db, store } = scratch;
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
      close: () => {
        db.exec(EMPTY);
        this.#idle.push(scratch);
        return Promise.resolve();
      },
    };
  }
}

/** Whatever a topic is replayed into. */
const EMPTY = [
  'topics',
  'events',
  'erasures',
  ...Object.keys({ ...CHANNEL_PROJECTIONS, ...SESSION_PROJECTIONS }),
]
  .map((table) => `DELETE FROM "${table}";`)
  .join('\n');

function create(): { db: Database.Database; store: SqliteStore } {
  const db = new Database(':memory:');
  const schedule = (flush: () => void): void => {
    flush();
  };
  return { db, store: new SqliteStore(db, { durability: 'relaxed', ports: { schedule } }) };
}
