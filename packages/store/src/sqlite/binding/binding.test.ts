import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { toStoaError } from '../failure.js';
import { openSqliteStore } from '../sqlite-store.js';
import { inTransaction } from '../transaction.js';
import { nameOfCode, sqliteCodeOf } from './code.js';
import type { SqliteDatabase } from './database.js';
import { openSqlite, openSqliteImage } from './open.js';

/** Runs on the library that this Node uses; `npm run test:node24` runs it on the other one. */
describe('SQLite behind the port', () => {
  let directory: string;
  let db: SqliteDatabase;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'stoa-binding-'));
    db = openSqlite(join(directory, 'a.db'));
    db.pragma('journal_mode = WAL');
    db.exec('CREATE TABLE "notes" ("id" INTEGER PRIMARY KEY, "text" TEXT UNIQUE)');
  });
  afterEach(() => {
    db.close();
    rmSync(directory, { recursive: true, force: true });
  });

  const insert = (text: string) =>
    db.prepare<[string]>('INSERT INTO "notes" ("text") VALUES (?)').run(text);
  const texts = (): unknown =>
    db
      .prepare<[], { text: string }>('SELECT "text" FROM "notes"')
      .all()
      .map(({ text }) => text);

  /** The code of SQLite, and that of the registry. */
  function codesOf(work: () => unknown): (string | undefined)[] {
    try {
      work();
    } catch (error) {
      const reported = toStoaError(error);
      const { code } = reported as { code?: string };
      return [sqliteCodeOf(error), reported === error ? undefined : code];
    }
    throw new Error('nothing was thrown');
  }

  it('returns one row, all rows, an iterator of rows, and the number of changed rows', () => {
    expect(insert('a').changes).toBe(1);
    expect(Number(insert('b').lastInsertRowid)).toBe(2);
    const find = db.prepare<[number], { text: string }>(
      'SELECT "text" FROM "notes" WHERE "id" = ?',
    );
    expect(find.get(2)).toEqual({ text: 'b' });
    expect(find.get(3)).toBeUndefined();
    expect(find.all(1)).toEqual([{ text: 'a' }]);
    const all = db.prepare<[], { id: number }>('SELECT "id" FROM "notes"');
    for (const { id } of all.iterate()) {
      expect(id).toBe(1);
      break;
    }
    // Left in the middle, it holds nothing that keeps others from writing.
    db.exec('DELETE FROM "notes" WHERE "id" = 1');
    expect([...all.iterate()]).toEqual([{ id: 2 }]);
    expect(db.pragma('user_version', { simple: true })).toBe(0);
    expect(db.pragma('user_version = 7')).toEqual([]);
    expect(db.pragma('user_version')).toEqual([{ user_version: 7 }]);
  });

  it('undoes a transaction that throws, and a nested one alone', () => {
    expect(() =>
      inTransaction(db, () => {
        insert('a');
        throw new Error('no');
      }),
    ).toThrow('no');
    expect(texts()).toEqual([]);
    inTransaction(db, () => {
      insert('b');
      expect(() =>
        inTransaction(db, () => {
          insert('c');
          throw new Error('no');
        }),
      ).toThrow('no');
    });
    expect(texts()).toEqual(['b']);
    expect(db.inTransaction).toBe(false);
  });

  it('OP-4 a full disk is storage_full', () => {
    const pages = db.pragma('page_count', { simple: true }) as number;
    db.pragma(`max_page_count = ${String(pages)}`);
    expect(codesOf(() => insert('x'.repeat(100_000)))).toEqual(['SQLITE_FULL', 'storage_full']);
  });

  it('OP-4 a lock of another connection is storage_unavailable', () => {
    const other = openSqlite(join(directory, 'a.db'), { timeout: 0 });
    db.exec('BEGIN IMMEDIATE');
    expect(codesOf(() => other.exec('BEGIN IMMEDIATE'))).toEqual([
      'SQLITE_BUSY',
      'storage_unavailable',
    ]);
    other.close();
    db.exec('ROLLBACK');
  });

  it('OP-4 a database that may not be written is storage_unavailable', () => {
    const reader = openSqlite(join(directory, 'a.db'), { readonly: true, fileMustExist: true });
    expect(codesOf(() => reader.exec('DELETE FROM "notes"'))).toEqual([
      'SQLITE_READONLY',
      'storage_unavailable',
    ]);
    reader.close();
  });

  it('OP-4 a damaged file is storage_unavailable, and the refusal to start says what to do', () => {
    const path = join(directory, 'damaged.db');
    writeFileSync(path, 'this is no database\n'.repeat(100));
    const open = (): unknown => openSqliteStore(path, { durability: 'full' });
    expect(open).toThrow(
      expect.objectContaining({
        code: 'storage_unavailable',
        message: expect.stringContaining('(SQLITE_NOTADB)') as string,
      }),
    );
  });

  it('OP-4 a file that is not there is storage_unavailable', () => {
    const path = join(directory, 'missing.db');
    for (const options of [{ fileMustExist: true }, { readonly: true, fileMustExist: true }]) {
      expect(codesOf(() => openSqlite(path, options))).toEqual([
        'SQLITE_CANTOPEN',
        'storage_unavailable',
      ]);
    }
  });

  it('OP-4 a violated constraint is not a failure of the store', () => {
    insert('twice');
    expect(codesOf(() => insert('twice'))).toEqual(['SQLITE_CONSTRAINT_UNIQUE', undefined]);
  });

  it.each([
    [13, 'SQLITE_FULL'],
    [5, 'SQLITE_BUSY'],
    [517, 'SQLITE_BUSY_SNAPSHOT'],
    [8, 'SQLITE_READONLY'],
    [11, 'SQLITE_CORRUPT'],
    [1034, 'SQLITE_IOERR_FSYNC'],
    [778, 'SQLITE_IOERR_WRITE'],
    // Not in the list: the primary code is what counts.
    [7434, 'SQLITE_IOERR_29'],
    [99, 'SQLITE_99'],
  ])('OP-4 the number %i is %s', (number, name) => {
    expect(nameOfCode(number)).toBe(name);
  });

  it('throws the error of the library for a wrong statement', () => {
    expect(() => db.prepare('SELECT * FROM "nowhere"')).toThrow(
      expect.objectContaining({ code: 'SQLITE_ERROR', message: 'no such table: nowhere' }),
    );
  });

  it('begins as the image of another database in memory', (test) => {
    // Only the simulations need images, and they run on the Node that is installed.
    const lacksImages = process.versions.node.startsWith('22.');
    if (lacksImages) test.skip('node:sqlite of Node 22 has no images of databases');
    const original = openSqlite(':memory:');
    original.exec('CREATE TABLE "notes" ("text" TEXT); INSERT INTO "notes" VALUES (\'kept\')');
    const copy = openSqliteImage(original.serialize());
    original.close();
    expect(copy.prepare('SELECT "text" FROM "notes"').all()).toEqual([{ text: 'kept' }]);
    copy.close();
  });
});
