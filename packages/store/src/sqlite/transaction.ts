import type { SqliteDatabase } from './binding/database.js';

/** All of what the body does, or nothing. Inside another transaction it is undone alone. */
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
    // SQLite itself has undone it after some failures.
    if (db.inTransaction) db.exec(isNested ? 'ROLLBACK TO nested; RELEASE nested' : 'ROLLBACK');
    throw error;
  }
}
