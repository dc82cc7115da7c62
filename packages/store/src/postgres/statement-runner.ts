import type { SqlValue, Statement, Tx } from '../sql/statement.js';
import { openTopicEnd } from '../verbs/topics.js';
import type { Connection } from './connection.js';
import { StatementNames } from './statement-names.js';

export interface Driven<T> {
  readonly value: T;
  /** The topics that grew. */
  readonly topics: readonly string[];
}

type Step<T> = IteratorResult<Statement, T>;

/** Drives transactions, one statement after the other. */
export class StatementRunner {
  readonly #names = new StatementNames();
  #stepping = false;

  /** Whether the code of a body is on the stack right now. */
  get stepping(): boolean {
    return this.#stepping;
  }

  async drive<T>(connection: Connection, body: () => Tx<T>): Promise<Driven<T>> {
    const topics = new Set<string>();
    const tx = this.#inBody(body);
    let step = this.next(tx);
    while (!step.done) {
      const { text, params } = step.value;
      const result = await this.execute(connection, step.value);
      if (text === openTopicEnd.text) topics.add(params['name'] as string);
      step = this.next(tx, result);
    }
    return { value: step.value, topics: [...topics] };
  }

  begin<T>(body: () => Tx<T>): { readonly tx: Tx<T>; readonly first: Step<T> } {
    const tx = this.#inBody(body);
    return { tx, first: this.next(tx) };
  }

  next<T>(tx: Tx<T>, result?: unknown): Step<T> {
    return this.#inBody(() => tx.next(result));
  }

  async execute(connection: Connection, { text, params, take }: Statement): Promise<unknown> {
    const name = this.#names.of(text);
    const { postgresLock: lock } = text;
    if (lock) {
      const lockName = name === undefined ? undefined : `${name}lock`;
      await connection.query({
        name: lockName,
        text: lock.text,
        values: valuesOf(lock.names, params),
      });
    }
    const values = valuesOf(text.postgresNames, params);
    const result = await connection.query({ name, text: text.postgres, values });
    if (take === 'first') return result.rows[0];
    if (take === 'all') return result.rows;
    return result.rowCount ?? 0;
  }

  #inBody<T>(run: () => T): T {
    this.#stepping = true;
    try {
      return run();
    } finally {
      this.#stepping = false;
    }
  }
}

function valuesOf(names: readonly string[], params: Statement['params']): SqlValue[] {
  return names.map((name) => params[name] ?? null);
}
