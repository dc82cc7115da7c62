import { StoaError } from '@stoa/protocol';
import type { SqliteDatabase } from './binding/database.js';
import { openSqlite } from './binding/open.js';
import { isSafeSqlite, OLDEST_SAFE_SQLITE } from './binding/versions.js';

export function sqliteVersion(): string {
  const db = openSqlite(':memory:');
  try {
    return versionOf(db);
  } finally {
    db.close();
  }
}

export function versionOf(db: SqliteDatabase): string {
  const row = db.prepare<[], { version: string }>('SELECT sqlite_version() AS "version"').get();
  return row?.version ?? '';
}

export function assertSafeSqlite(version: string): void {
  if (isSafeSqlite(version)) return;
  throw new StoaError(
    'sqlite_too_old',
    `SQLite ${version} can corrupt a database; ${OLDEST_SAFE_SQLITE} or newer is needed. Reinstall dependencies with "npm ci".`,
  );
}
