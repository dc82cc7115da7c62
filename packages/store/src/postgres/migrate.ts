import type pg from 'pg';
import { type Migration, migrationFailure, planMigration } from '../schema/migration.js';

/** An arbitrary number that nothing else uses in this database. */
const ADVISORY_LOCK = 7117_0001;

/**
 * Runs all missing steps in one transaction: the result is either the newest schema or the old data, untouched.
 * Daemons that start at the same time take turns.
 */
export async function migratePostgres(
  client: pg.Client,
  known: readonly Migration[],
): Promise<void> {
  await client.query('BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE');
  try {
    await client.query('SELECT pg_advisory_xact_lock($1)', [ADVISORY_LOCK]);
    const steps = planMigration(await findVersion(client), known);
    for (const step of steps) await apply(client, step);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

/** A program that has nothing to migrate needs no right to create tables, so this only reads. */
async function findVersion(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ found: boolean }>(
    `SELECT to_regclass('"schemaVersions"') IS NOT NULL AS "found"`,
  );
  if (!rows[0]?.found) return 0;
  const versions = await client.query<{ version: number | null }>(
    `SELECT max("version") AS "version" FROM "schemaVersions"`,
  );
  return versions.rows[0]?.version ?? 0;
}

async function apply(client: pg.Client, step: Migration): Promise<void> {
  try {
    await client.query(
      `CREATE TABLE IF NOT EXISTS "schemaVersions" (
         "version" BIGINT NOT NULL PRIMARY KEY, "name" TEXT NOT NULL, "appliedAt" BIGINT NOT NULL)`,
    );
    await client.query(step.postgres);
    await client.query(
      `INSERT INTO "schemaVersions" ("version", "name", "appliedAt") VALUES ($1, $2, $3)`,
      [step.version, step.name, Date.now()],
    );
  } catch (error) {
    throw migrationFailure(step, error);
  }
}
