import type { Asked, BoundStatement, SqlText, SqlValue, Tx } from '../sql/statement.js';
import { isOne } from '../sql/together.js';
import { openTopicEnd } from '../statements/topics.js';
import type { Connection } from './connection.js';

/** Statements are constants, so there are few; texts that are built at run time get no name. */
const MAX_NAMED = 500;

/** The name under which each connection keeps a statement prepared. */
class StatementNames {
  readonly #names = new WeakMap<SqlText, string>();
  #given = 0;

  of(text: SqlText): string | undefined {
    const known = this.#names.get(text);
    if (known !== undefined || this.#given >= MAX_NAMED) return known;
    this.#given += 1;
    const name = `v${String(this.#given)}`;
    this.#names.set(text, name);
    return name;
  }
}

export interface Driven<T> {
  readonly value: T;
  /** The topics that were written to. */
  readonly topics: readonly string[];
}

/** A transaction that has yielded a statement, or ended. */
export interface Begun<T> {
  readonly tx: Tx<T>;
  readonly step: IteratorResult<Asked, T>;
}

/**
 * Drives transactions. Waits for statements whose results are needed; pipelines the others and those that are
 * requested together.
 */
export class StatementRunner {
  readonly #names = new StatementNames();
  #stepping = false;

  /** Whether the code of a body is running. */
  get stepping(): boolean {
    return this.#stepping;
  }

  drive<T>(connection: Connection, body: () => Tx<T>): Promise<Driven<T>> {
    return this.finish(connection, this.begin(body));
  }

  begin<T>(body: () => Tx<T>): Begun<T> {
    const tx = this.#inBody(body);
    return this.#next(tx, undefined);
  }

  async advance<T>(connection: Connection, tx: Tx<T>, asked: Asked): Promise<Begun<T>> {
    return this.#next(tx, await this.#answer(connection, asked));
  }

  async finish<T>(connection: Connection, { tx, step }: Begun<T>): Promise<Driven<T>> {
    const topics = new Set<string>();
    let now = step;
    while (!now.done) {
      for (const { text, params } of [now.value].flat()) {
        if (text === openTopicEnd.text) topics.add(params['name'] as string);
      }
      ({ step: now } = await this.advance(connection, tx, now.value));
    }
    await connection.settle();
    return { value: now.value, topics: [...topics] };
  }

  #next<T>(tx: Tx<T>, result: unknown): Begun<T> {
    return { tx, step: this.#inBody(() => tx.next(result)) };
  }

  async #answer(connection: Connection, asked: Asked): Promise<unknown> {
    if (isOne(asked)) return this.#execute(connection, asked);
    const sent = connection.inOnePiece(() =>
      asked.map((statement) => this.#execute(connection, statement)),
    );
    for (const answer of sent) answer.catch(() => undefined);
    const answers: unknown[] = [];
    // In order: after the first failure, the others only report that the transaction has failed.
    for (const answer of sent) answers.push(await answer);
    return answers;
  }

  async #execute(connection: Connection, { text, params, take }: BoundStatement): Promise<unknown> {
    const name = this.#names.of(text);
    const { postgresLock: lock } = text;
    if (lock) {
      const lockName = name === undefined ? undefined : `${name}lock`;
      connection.ahead({
        name: lockName,
        text: lock.text,
        values: valuesOf(lock.names, params),
      });
    }
    const query = { name, text: text.postgres, values: valuesOf(text.postgresNames, params) };
    if (take === 'nothing') {
      connection.ahead(query);
      return undefined;
    }
    const result = await connection.query(query);
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

function valuesOf(names: readonly string[], params: BoundStatement['params']): SqlValue[] {
  return names.map((name) => params[name] ?? null);
}
