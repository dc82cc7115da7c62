import { createRequire } from 'node:module';
import { StoaError } from '@stoa/protocol';
import type Better from 'better-sqlite3';
import type { SqliteBinding, SqliteDatabase } from './database.js';

/**
 * The package better-sqlite3. It is optional: not installed if Node's own SQLite is used. `why` tells people who lack
 * it why it is needed.
 */
export function loadBetterSqlite3(why: string): SqliteBinding {
  const Database = load(why);
  // The package has everything that the port needs; only its types differ.
  const asPort = (db: Better.Database): SqliteDatabase => db as unknown as SqliteDatabase;
  return {
    open: (path, options) => asPort(new Database(path, options)),
    openImage: (image) => asPort(new Database(Buffer.from(image))),
  };
}

function load(why: string): typeof Better {
  const require = createRequire(import.meta.url);
  try {
    const Database = require('better-sqlite3') as typeof Better;
    // The native part is loaded by the first database; only then is a missing one reported.
    new Database(':memory:').close();
    return Database;
  } catch (error) {
    throw new StoaError(
      'sqlite_missing',
      `${why}, and better-sqlite3 cannot be loaded (${reason(error)}). Use Node 22.13 or newer with its own SQLite, or install a C++ compiler and run: npm rebuild better-sqlite3`,
      [],
      { cause: error },
    );
  }
}

/** The first line; the following ones list where Node searched. */
const reason = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
