import type { Store } from '../store.js';
import type { SqliteDatabase } from './binding/database.js';
import { openSqlite } from './binding/open.js';
import { toStoaError } from './failure.js';
import { SqliteStore, type SqliteStoreOptions } from './sqlite-store.js';
import { inTransaction } from './transaction.js';

/** A store to try something out in, again and again. */
export interface ScratchStore extends Store {
  /** Every row goes: it is as if it were new, for far less than making its tables takes. */
  empty(): void;
}

const TABLES = `SELECT "name" FROM "sqlite_master" WHERE "type" = 'table'
  AND ("name" = 'sqlite_sequence' OR "name" NOT LIKE 'sqlite_%')`;

export function openScratchStore(
  path: string,
  options: Pick<SqliteStoreOptions, 'ports'> = {},
): ScratchStore {
  let db: SqliteDatabase | undefined;
  try {
    const opened = openSqlite(path);
    db = opened;
    const store = new SqliteStore(opened, { durability: 'relaxed', ...options });
    const tables = opened.prepare<[], { name: string }>(TABLES).all();
    // Most tables have nothing in them, which is seen sooner than they and their indexes are emptied.
    const contents = tables.map(({ name }) => ({
      any: opened.prepare(`SELECT 1 FROM "${name}" LIMIT 1`),
      deletion: opened.prepare(`DELETE FROM "${name}"`),
    }));
    const empty = (): void => {
      inTransaction(opened, () => {
        for (const { any, deletion } of contents) if (any.get() !== undefined) deletion.run();
      });
    };
    return Object.assign(store, { empty });
  } catch (error) {
    db?.close();
    throw toStoaError(error);
  }
}
