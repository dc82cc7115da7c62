import type { Json } from './json.js';
import type { SqlText, SqlValue, Statement, Tx } from './statement.js';

type Params = object;

/** Parameters of a row may be given as plain texts: the statement stores what it is given. */
type Given<P> = {
  readonly [K in keyof P]: P[K] extends infer V ? (V extends Json<unknown> ? string : V) : never;
};

/** One prepared statement with named, typed parameters and typed rows. */
export interface Verb<P extends Params, R> {
  /** Its identity: an engine can tell by it which verb a statement came from. */
  readonly text: SqlText;
  /** Every row. */
  all(params: Given<P>): Tx<R[]>;
  /** The first row, if there is one. */
  first(params: Given<P>): Tx<R | undefined>;
  /** Changes rows. On PostgreSQL the next statement does not wait for it. */
  run(params: Given<P>): Tx<void>;
  /** Changes rows, and says how many. */
  changes(params: Given<P>): Tx<number>;
}

interface SqlForEach {
  readonly sqlite: string;
  readonly postgres: string;
  /**
   * What PostgreSQL locks, in a statement of its own, before it runs the verb. A statement sees the
   * rows as they were when it began, not as they are when its lock is granted: one that locks a row
   * and reads another beside it decides on what may have changed while it waited.
   */
  readonly lock?: string;
}

/**
 * Defines a verb. Parameters are written `:name`; identifiers are quoted because PostgreSQL folds
 * the others. Where the engines differ a text for each is given.
 */
export function verb<P extends Params, R = never>(sql: string | SqlForEach): Verb<P, R> {
  const text = compile(typeof sql === 'string' ? { sqlite: sql, postgres: sql } : sql);
  const bind = (params: Given<P>, take: Statement['take']): Statement => ({
    text,
    params: params as Readonly<Record<string, SqlValue>>,
    take,
  });
  return {
    text,
    *all(params) {
      return (yield bind(params, 'all')) as R[];
    },
    *first(params) {
      return (yield bind(params, 'first')) as R | undefined;
    },
    *run(params) {
      yield bind(params, 'nothing');
    },
    *changes(params) {
      return (yield bind(params, 'changes')) as number;
    },
  };
}

/** A read that on PostgreSQL also locks what it read; SQLite has one writer and needs no lock. */
export const locking = (sql: string, clause: string): { sqlite: string; postgres: string } => ({
  sqlite: sql,
  postgres: `${sql} ${clause}`,
});

const PARAMETER = /(?<![:\w]):([a-zA-Z]\w*)/g;

/**
 * SQLite plans with the value of a bare `LIMIT ?`, and so prepares the statement again whenever one is
 * bound: that costs more than most of these statements do. It does not look into an expression.
 */
const BARE_LIMIT = /\bLIMIT :/g;

function compile({ sqlite, postgres, lock }: SqlForEach): SqlText {
  const sqliteNames: string[] = [];
  const { text, names } = numbered(postgres);
  return {
    sqlite: sqlite.replace(BARE_LIMIT, 'LIMIT 0 + :').replace(PARAMETER, (_, name: string) => {
      sqliteNames.push(name);
      return '?';
    }),
    postgres: text,
    sqliteNames,
    postgresNames: names,
    postgresLock: lock === undefined ? undefined : numbered(lock),
  };
}

function numbered(sql: string): { text: string; names: string[] } {
  const names: string[] = [];
  const text = sql.replace(PARAMETER, (_, name: string) => {
    if (!names.includes(name)) names.push(name);
    return `$${String(names.indexOf(name) + 1)}`;
  });
  return { text, names };
}
