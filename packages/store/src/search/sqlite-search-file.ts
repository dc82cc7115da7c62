import fs from 'node:fs';
import { sqliteCodeOf } from '../sqlite/binding/code.js';
import type { SqliteDatabase } from '../sqlite/binding/database.js';
import { openSqlite } from '../sqlite/binding/open.js';
import { isDamage } from '../sqlite/failure.js';
import { inTransaction } from '../sqlite/transaction.js';

/** Any other version is deleted and built again. */
const VERSION = 2;

/**
 * Columns of "texts": the channel as one token (#12), and the tokens of the message. The ascii tokenizer splits at
 * spaces and does not change other characters. Documents are numbered by time, so the newest matches are the last
 * ones and need no sorting; prefixes of one and two letters have separate doclists, longer ones are looked up in
 * "words".
 *
 * "tidying" has a row while words are checked for those that no document contains; it holds the last checked word.
 */
const SCHEMA = `
CREATE VIRTUAL TABLE "texts" USING fts5("topic", "tokens", content='', contentless_delete=1,
  tokenize="ascii tokenchars '#'", prefix='1 2');
CREATE TABLE "documents" (
  "id" INTEGER PRIMARY KEY,
  "topicId" INTEGER NOT NULL,
  "seq" INTEGER NOT NULL,
  UNIQUE ("topicId", "seq")
);
CREATE TABLE "watermarks" (
  "topicId" INTEGER PRIMARY KEY,
  "seq" INTEGER NOT NULL,
  "at" INTEGER NOT NULL
);
CREATE TABLE "words" ("word" TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE "tidying" ("id" INTEGER PRIMARY KEY CHECK ("id" = 1), "after" TEXT NOT NULL);
PRAGMA user_version = ${VERSION};
`;

/** Opens the file of the index; replaces one that is damaged or of another version. */
export function openSearchFile(path: string): SqliteDatabase {
  try {
    const db = open(path);
    if (isUsable(db)) return db;
    db.close();
  } catch (error) {
    if (!isDamage(error)) throw error;
  }
  removeSearchFile(path);
  return open(path);
}

export function removeSearchFile(path: string): void {
  for (const suffix of ['', '-wal', '-shm']) fs.rmSync(`${path}${suffix}`, { force: true });
}

/** The write was undone, and may succeed when there is space. */
export function isNoRoom(error: unknown): boolean {
  return sqliteCodeOf(error) === 'SQLITE_FULL';
}

function open(path: string): SqliteDatabase {
  const db = openSqlite(path);
  try {
    prepareSearchFile(db);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Creates the tables of the index in an empty database. */
export function prepareSearchFile(db: SqliteDatabase): void {
  db.pragma('journal_mode = WAL');
  // A power cut may lose the last batches, which are then indexed again.
  db.pragma('synchronous = NORMAL');
  db.pragma('cache_size = -32768');
  const isEmpty = db.prepare('SELECT 1 FROM sqlite_master').get() === undefined;
  if (isEmpty) inTransaction(db, () => db.exec(SCHEMA));
}

function isUsable(db: SqliteDatabase): boolean {
  return db.pragma('user_version', { simple: true }) === VERSION;
}
