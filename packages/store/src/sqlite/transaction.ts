import type { SqliteDatabase } from './binding/database.js';

/** Applies everything that the body does, or nothing. Inside another transaction it is undone alone. */
export function inTransaction<T>(
  db: SqliteDatabase,
  body: () => T,
  kind: 'DEFERRED' | 'IMMEDIATE' = 'DEFERRED',
): T {
  const isNested = db.inTransaction;
  db.exec(isNested ? 'SAVEPOINT nested' : `BEGIN ${kind}`);
  try {
    const result = body();
    db.exec(isNested ? 'RELEASE nested' : 'COMMIT');
    return result;
  } catch (error) {
    // After some failures SQLite has rolled back already.
    if (db.inTransaction) db.exec(isNested ? 'ROLLBACK TO nested; RELEASE nested' : 'ROLLBACK');
    throw error;
  }
}
