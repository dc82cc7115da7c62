import type Database from 'better-sqlite3';
import type { Asked, SqlText, SqlValue, Statement, Tx } from '../sql/statement.js';
import { isOne } from '../sql/together.js';

/** Prepares each text once and drives transactions synchronously. */
export class StatementRunner {
  readonly #prepared = new Map<SqlText, Database.Statement<SqlValue[]>>();

  constructor(private readonly db: Database.Database) {}

  drive<T>(body: () => Tx<T>): T {
    const tx = body();
    let step = tx.next();
    while (!step.done) step = tx.next(this.#answer(step.value));
    return step.value;
  }

  #answer(asked: Asked): unknown {
    return isOne(asked) ? this.#execute(asked) : asked.map((each) => this.#execute(each));
  }

  #execute({ text, params, take }: Statement): unknown {
    const statement = this.#prepare(text);
    const names = text.sqliteNames;
    const values = new Array<SqlValue>(names.length);
    for (let i = 0; i < names.length; i++) values[i] = params[names[i] as string] ?? null;
    if (take === 'first') return statement.get(values as never);
    if (take === 'all') return statement.all(values as never);
    return statement.run(values as never).changes;
  }

  #prepare(text: SqlText): Database.Statement<SqlValue[]> {
    let statement = this.#prepared.get(text);
    if (!statement) {
      statement = this.db.prepare<SqlValue[]>(text.sqlite);
      this.#prepared.set(text, statement);
    }
    return statement;
  }
}
