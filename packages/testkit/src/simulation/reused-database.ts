import {
  openSqliteImage,
  type SqliteDatabase,
  type SqliteStatement,
  type SqlValue,
} from '@stoa/store';

/** What runs instead of a statement; `execute` is the statement itself. */
export type Around = (db: SqliteDatabase, sql: string, execute: () => never) => never;

type Statement = SqliteStatement<readonly SqlValue[], unknown>;

type Row = readonly SqlValue[];

interface Table {
  readonly empty: Statement;
  readonly insert: Statement;
  /** As the image has them. */
  readonly rows: readonly Row[];
}

const PLENTY_OF_PAGES = 1_000_000;

const idle = new WeakMap<Uint8Array, ReusedDatabase[]>();

/**
 * A database in memory that begins as an image. Opening one and preparing its statements costs a good
 * part of what a run does, so one that was given back begins again: its rows are those of the image,
 * and it has the pages that these take.
 */
export class ReusedDatabase {
  readonly db: SqliteDatabase;
  readonly #tables: readonly Table[];
  readonly #prepared = new Map<string, Statement>();
  readonly #begin: Statement;
  readonly #commit: Statement;
  #around: Around | undefined;

  private constructor(private readonly image: Uint8Array) {
    const db = openSqliteImage(image);
    this.db = db;
    db.pragma('auto_vacuum = INCREMENTAL');
    db.exec('VACUUM');
    const prepare = db.prepare.bind(db) as (sql: string) => Statement;
    this.#tables = (prepare(TABLES).all() as { name: string }[]).map(({ name: table }) => {
      const rows = prepare(`SELECT * FROM "${table}"`).all() as Record<string, SqlValue>[];
      const columns = db.pragma(`table_info("${table}")`) as unknown[];
      const values = columns.map(() => '?').join(', ');
      return {
        empty: prepare(`DELETE FROM "${table}"`),
        insert: prepare(`INSERT INTO "${table}" VALUES (${values})`),
        rows: rows.map((row) => Object.values(row)),
      };
    });
    this.#begin = prepare('BEGIN IMMEDIATE');
    this.#commit = prepare('COMMIT');
    db.prepare = ((sql: string) => {
      const known = this.#prepared.get(sql);
      if (known) return known;
      const statement = this.#instrument(sql, prepare(sql));
      this.#prepared.set(sql, statement);
      return statement;
    }) as typeof db.prepare;
  }

  static take(image: Uint8Array, around: Around): ReusedDatabase {
    const database = idle.get(image)?.pop() ?? new ReusedDatabase(image);
    database.#around = around;
    return database;
  }

  rows<T>(sql: string, ...values: readonly SqlValue[]): T[] {
    return this.db.prepare(sql).all(...values) as T[];
  }

  giveBack(): void {
    const { db } = this;
    this.#around = undefined;
    if (db.inTransaction) db.exec('ROLLBACK');
    db.pragma(`max_page_count = ${String(PLENTY_OF_PAGES)}`);
    this.#begin.run();
    for (const { empty } of this.#tables) empty.run();
    this.#commit.run();
    db.pragma('incremental_vacuum');
    this.#begin.run();
    for (const { insert, rows } of this.#tables) for (const row of rows) insert.run(...row);
    this.#commit.run();
    idle.set(this.image, [...(idle.get(this.image) ?? []), this]);
  }

  #instrument(sql: string, statement: Statement): Statement {
    for (const name of ['run', 'get', 'all'] as const) {
      const execute = statement[name].bind(statement) as (...values: readonly SqlValue[]) => never;
      statement[name] = (...values: readonly SqlValue[]): never => {
        const run = (): never => execute(...values);
        return this.#around ? this.#around(this.db, sql, run) : run();
      };
    }
    return statement;
  }
}

/** Deleted from the last one, `sqlite_sequence`, after the tables that it counts for. */
const TABLES = `SELECT "name" FROM "sqlite_master" WHERE "type" = 'table'
  AND ("name" = 'sqlite_sequence' OR "name" NOT LIKE 'sqlite_%') ORDER BY "name" LIKE 'sqlite_%'`;
