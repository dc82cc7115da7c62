import type { Asked, BoundStatement, SqlText, SqlValue, Tx } from '../sql/statement.js';
import { isOne } from '../sql/together.js';
import type { SqliteDatabase, SqliteStatement } from './binding/database.js';

type Prepared = SqliteStatement<readonly SqlValue[], unknown>;

/** Prepares each text once and drives transactions synchronously. */
export class StatementRunner {
  readonly #prepared = new Map<SqlText, Prepared>();

  constructor(private readonly db: SqliteDatabase) {}

  drive<T>(body: () => Tx<T>): T {
    const tx = body();
    let step = tx.next();
    while (!step.done) step = tx.next(this.#answer(step.value));
    return step.value;
  }

  #answer(asked: Asked): unknown {
    return isOne(asked) ? this.#execute(asked) : asked.map((each) => this.#execute(each));
  }

  #execute({ text, params, take }: BoundStatement): unknown {
    const statement = this.#prepare(text);
    const names = text.sqliteNames;
    const values = new Array<SqlValue>(names.length);
    for (let i = 0; i < names.length; i++) values[i] = params[names[i] as string] ?? null;
    if (take === 'first') return statement.get(...values);
    if (take === 'all') return statement.all(...values);
    return statement.run(...values).changes;
  }

  #prepare(text: SqlText): Prepared {
    let statement = this.#prepared.get(text);
    if (!statement) {
      statement = this.db.prepare(text.sqlite);
      this.#prepared.set(text, statement);
    }
    return statement;
  }
}
