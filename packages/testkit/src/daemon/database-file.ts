import { join } from 'node:path';
import Database from 'better-sqlite3';

/** Works on the SQLite file of a data directory past the program: to spoil, to inspect, to prepare. */
export function withDatabaseFile<T>(home: string, work: (db: Database.Database) => T): T {
  const db = new Database(join(home, 'stoa.db'));
  try {
    return work(db);
  } finally {
    db.close();
  }
}
