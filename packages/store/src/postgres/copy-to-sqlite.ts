import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type pg from 'pg';
import type { Migration } from '../schema/migration.js';
import type { SqlValue } from '../sql/statement.js';
import type { SqliteDatabase } from '../sqlite/binding/database.js';
import { openSqlite } from '../sqlite/binding/open.js';
import { toStoaError } from '../sqlite/failure.js';
import { migrateSqlite } from '../sqlite/migrate.js';

/** Rows per batch: they are kept in memory, and writing them blocks the event loop. */
const BATCH = 256;

/**
 * Writes one snapshot as an ordinary SQLite data file. Syncs at the end only, and then renames the file, so that a
 * copy is either complete or absent.
 */
export async function copyToSqlite(
  client: pg.Client,
  path: string,
  migrations: readonly Migration[],
): Promise<void> {
  const partial = `${path}.partial`;
  await removeDatabase(partial);
  try {
    const db = openSqlite(partial);
    try {
      db.pragma('journal_mode = OFF');
      db.pragma('synchronous = OFF');
      // A row may be copied before the row it refers to: only the whole snapshot is consistent.
      db.pragma('foreign_keys = OFF');
      migrateSqlite(db, migrations);
      await copySnapshot(client, db);
    } finally {
      db.close();
    }
    await sync(partial);
    await removeLogs(path);
    await rename(partial, path);
    await sync(dirname(path));
  } catch (error) {
    await removeDatabase(partial);
    throw toStoaError(error);
  }
}

async function copySnapshot(client: pg.Client, db: SqliteDatabase): Promise<void> {
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  db.exec('BEGIN');
  for (const { name } of tablesOf(db)) await copyTable(client, db, name);
  db.exec('COMMIT');
  await client.query('ROLLBACK');
}

/** Reads the tables from the migrated database, so that a new table cannot be forgotten. */
function tablesOf(db: SqliteDatabase): { readonly name: string }[] {
  return db
    .prepare<[], { name: string }>(
      `SELECT "name" FROM "sqlite_master" WHERE "type" = 'table' AND "name" NOT LIKE 'sqlite_%'`,
    )
    .all();
}

async function copyTable(client: pg.Client, db: SqliteDatabase, table: string): Promise<void> {
  const info = db.pragma(`table_info("${table}")`) as { name: string; pk: number }[];
  const columns = info.map(({ name }) => `"${name}"`);
  const key = info.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
  const order = key.map(({ name }) => `"${name}"`).join(', ');
  const insert = db.prepare(
    `INSERT INTO "${table}" (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
  );
  // In the order of the key, every row is appended to the end of the table.
  await client.query(
    `DECLARE "copied" NO SCROLL CURSOR FOR SELECT ${columns.join(', ')} FROM "${table}"
     ${order === '' ? '' : `ORDER BY ${order}`}`,
  );
  for (;;) {
    const { rows } = await client.query<SqlValue[]>({
      text: `FETCH ${String(BATCH)} FROM "copied"`,
      rowMode: 'array',
    });
    for (const row of rows) insert.run(...row);
    if (rows.length < BATCH) break;
  }
  await client.query('CLOSE "copied"');
}

async function removeDatabase(path: string): Promise<void> {
  await removeLogs(path);
  await rm(path, { force: true });
}

/** SQLite would apply the logs of an older file to the new one. */
async function removeLogs(path: string): Promise<void> {
  for (const log of ['-wal', '-shm', '-journal']) await rm(`${path}${log}`, { force: true });
}

async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
