import { isBuiltin } from 'node:module';
import { loadBetterSqlite3 } from './better-sqlite3.js';
import { type BindingName, chooseBinding, type Runtime, whyNotBuiltin } from './choose-binding.js';
import type { OpenOptions, SqliteBinding, SqliteDatabase } from './database.js';
import { loadNodeSqlite } from './node-sqlite.js';

/** Opens a database with the SQLite of this process; `:memory:` is one without a file. */
export function openSqlite(path: string, options: OpenOptions = {}): SqliteDatabase {
  return binding().open(path, options);
}

/** A database in memory that begins with the bytes of another. */
export function openSqliteImage(image: Uint8Array): SqliteDatabase {
  return binding().openImage(image);
}

/** Which library this process uses. */
export function sqliteBindingName(): BindingName {
  return chooseBinding(runtime());
}

let loaded: SqliteBinding | undefined;

function binding(): SqliteBinding {
  loaded ??= load();
  return loaded;
}

function load(): SqliteBinding {
  const found = runtime();
  return chooseBinding(found) === 'node:sqlite'
    ? loadNodeSqlite()
    : loadBetterSqlite3(whyNotBuiltin(found));
}

function runtime(): Runtime {
  const { node, sqlite } = process.versions;
  return { node, builtin: isBuiltin('node:sqlite') ? sqlite : undefined };
}
