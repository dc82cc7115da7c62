import { type Migration, migrationFailure, planMigration } from '../schema/migration.js';

import type { SqliteDatabase } from './binding/database.js';
import { inTransaction } from './transaction.js';

/** Runs all missing steps in one transaction: the result is either the newest schema or the old data, untouched. */
export function migrateSqlite(db: SqliteDatabase, known: readonly Migration[]): void {
  const found = db.pragma('user_version', { simple: true }) as number;
  const steps = planMigration(found, known);
  if (steps.length === 0) return;
  const take = (step: Migration): void => {
    try {
      db.exec(step.sqlite);
      db.pragma(`user_version = ${String(step.version)}`);
    } catch (error) {
      throw migrationFailure(step, error);
    }
  };
  inTransaction(db, () => steps.forEach(take), 'IMMEDIATE');
}
