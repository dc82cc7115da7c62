import { SqliteStore } from '@stoa/store';
import Database from 'better-sqlite3';

/**
 * One database in memory for many histories. Opening one and preparing its statements costs more than
 * a history does, so it is emptied between them, after which it is as if it were new; a statement is
 * prepared once, whatever daemon asks for it.
 */
export class SharedDatabase {
  readonly db: Database.Database = new Database(':memory:');
  readonly #empty: Database.Statement[];

  constructor() {
    new SqliteStore(this.db, { durability: 'relaxed' });
    const prepare = this.db.prepare.bind(this.db) as (sql: string) => Database.Statement;
    const known = new Map<string, Database.Statement>();
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

  rows<T>(sql: string, ...values: readonly unknown[]): T[] {
    return this.db.prepare(sql).all(...values) as T[];
  }

  empty(): void {
    for (const statement of this.#empty) statement.run();
  }

  close(): void {
    this.db.close();
  }
}
