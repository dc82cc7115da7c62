import {
  openSqlite,
  type SqliteDatabase,
  type SqliteStatement,
  SqliteStore,
  type SqlValue,
} from '@stoa/store';

type Statement = SqliteStatement<readonly SqlValue[], unknown>;

/**
 * One database in memory for many histories. Opening one and preparing its statements costs more than
 * a history does, so it is emptied between them, after which it is as if it were new; a statement is
 * prepared once, whatever daemon asks for it.
 */
export class SharedDatabase {
  readonly db: SqliteDatabase = openSqlite(':memory:');
  readonly #empty: Statement[];

  constructor() {
    new SqliteStore(this.db, { durability: 'relaxed' });
    const prepare = this.db.prepare.bind(this.db) as (sql: string) => Statement;
    const known = new Map<string, Statement>();
    this.db.prepare = ((sql: string) => {
      let statement = known.get(sql);
      if (!statement) {
        statement = prepare(sql);
        known.set(sql, statement);
      }
      return statement;
    }) as typeof this.db.prepare;
    const tables = this.rows<{ name: string }>(
      `SELECT "name" FROM "sqlite_master" WHERE "type" = 'table'
       AND ("name" = 'sqlite_sequence' OR "name" NOT LIKE 'sqlite_%')`,
    );
    this.#empty = tables.map(({ name }) => prepare(`DELETE FROM "${name}"`));
  }

  rows<T>(sql: string, ...values: readonly SqlValue[]): T[] {
    return this.db.prepare(sql).all(...values) as T[];
  }

  empty(): void {
    for (const statement of this.#empty) statement.run();
  }

  close(): void {
    this.db.close();
  }
}
