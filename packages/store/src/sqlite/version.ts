import { StoaError } from '@stoa/protocol';
import Database from 'better-sqlite3';

/** Before 3.51.3 a WAL reset could corrupt the database. */
export const OLDEST_SAFE_SQLITE = '3.51.3';

export function sqliteVersion(): string {
  const db = new Database(':memory:');
  try {
    return db.prepare('SELECT sqlite_version()').pluck().get() as string;
  } finally {
    db.close();
  }
}

export function isSafeSqlite(version: string): boolean {
  const found = version.split('.').map(Number);
  const needed = OLDEST_SAFE_SQLITE.split('.').map(Number);
  for (let i = 0; i < needed.length; i++) {
    const difference = (found[i] ?? 0) - (needed[i] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}

export function assertSafeSqlite(version: string): void {
  if (isSafeSqlite(version)) return;
  throw new StoaError(
    'sqlite_too_old',
    `SQLite ${version} can corrupt a database; ${OLDEST_SAFE_SQLITE} or newer is needed. Reinstall dependencies with "npm ci".`,
  );
}
