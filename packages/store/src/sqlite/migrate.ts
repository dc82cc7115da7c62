import type Database from 'better-sqlite3';
import type { Migration } from '../schema/migration.js';
import { migrationFailure, planMigration } from '../schema/plan-migration.js';

/** All missing steps in one transaction: either the newest schema or the old data, untouched. */
export function migrateSqlite(db: Database.Database, known: readonly Migration[]): void {
  const found = db.pragma('user_version', { simple: true }) as number;
  const steps = planMigration(found, known);
  if (steps.length === 0) return;
  db.transaction(() => {
    for (const step of steps) {
      try {
        db.exec(step.sqlite);
        db.pragma(`user_version = ${String(step.version)}`);
      } catch (error) {
        throw migrationFailure(step, error);
      }
    }
  }).immediate();
}
