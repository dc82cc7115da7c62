import { CHANNEL_PROJECTIONS, SESSION_PROJECTIONS, SqliteStore, type Store } from '@stoa/store';
import Database from 'better-sqlite3';

/** Stores to replay a log into. Opening one costs more than emptying it, so they are used again. */
export class ScratchStores {
  readonly #idle: Scratch[] = [];

  open(): Store {
    const scratch = this.#idle.pop() ?? create();
    const { store } = scratch;
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
        scratch.empty();
        this.#idle.push(scratch);
        return Promise.resolve();
      },
    };
  }
}

interface Scratch {
  readonly store: SqliteStore;
  readonly empty: () => void;
}

/** Whatever a topic is replayed into. */
const TABLES = [
  'topics',
  'events',
  'erasures',
  ...Object.keys({ ...CHANNEL_PROJECTIONS, ...SESSION_PROJECTIONS }),
];

function create(): Scratch {
  const db = new Database(':memory:');
  const schedule = (flush: () => void): void => {
    flush();
  };
  const store = new SqliteStore(db, { durability: 'relaxed', ports: { schedule } });
  const statements = TABLES.map((table) => db.prepare(`DELETE FROM "${table}"`));
  const empty = db.transaction(() => {
    for (const statement of statements) statement.run();
  });
  return { store, empty };
}
