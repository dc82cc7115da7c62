import { join } from 'node:path';
import { openSqlite, type SqliteDatabase } from '@stoa/store';

/** Works on the SQLite file of a data directory past the program: to spoil, to inspect, to prepare. */
export function withDatabaseFile<T>(home: string, work: (db: SqliteDatabase) => T): T {
  const db = openSqlite(join(home, 'stoa.db'));
  try {
    return work(db);
  } finally {
    db.close();
  }
}
