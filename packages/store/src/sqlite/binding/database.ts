import type { SqlValue } from '../../sql/statement.js';

/*
 * The port to SQLite, with two libraries behind it: `node:sqlite`, which newer versions of Node contain, and the
 * package better-sqlite3 (choose-binding.ts decides). The port is a part of the API of better-sqlite3, so on Node 20
 * its objects are used unchanged.
 *
 * Every SQLite error has the name of its result code in `code`: SQLITE_FULL, SQLITE_IOERR_FSYNC (see code.ts).
 */

export interface SqliteStatement<Values extends readonly SqlValue[], Row> {
  get(...values: Values): Row | undefined;
  all(...values: Values): Row[];
  iterate(...values: Values): IterableIterator<Row>;
  run(...values: Values): SqliteChange;
}

export interface SqliteChange {
  readonly changes: number;
  readonly lastInsertRowid: number | bigint;
}

export interface SqliteDatabase {
  /** The path it was opened with. */
  readonly name: string;
  /** Whether it has no file. */
  readonly memory: boolean;
  readonly inTransaction: boolean;
  prepare<Values extends readonly SqlValue[] = readonly SqlValue[], Row = unknown>(
    sql: string,
  ): SqliteStatement<Values, Row>;
  /** Runs any number of statements and ignores their rows. */
  exec(sql: string): unknown;
  /** Returns its rows; with `simple` the first value of the first row. */
  pragma(text: string, options?: { readonly simple?: boolean }): unknown;
  /** Writes one consistent state to a file while others continue to write here. */
  backup(path: string): Promise<unknown>;
  /** The database as the bytes of a file. */
  serialize(): Uint8Array;
  close(): unknown;
}

export interface OpenOptions {
  readonly readonly?: boolean;
  readonly fileMustExist?: boolean;
  /** How many milliseconds to wait for another connection's lock. */
  readonly timeout?: number;
}

/** One of the libraries. */
export interface SqliteBinding {
  open(path: string, options: OpenOptions): SqliteDatabase;
  /** A database in memory that begins with these bytes. */
  openImage(image: Uint8Array): SqliteDatabase;
}
