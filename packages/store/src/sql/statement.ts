declare const content: unique symbol;

/** A JSON text in a column, with the type of what it holds. Decode it where it is used. */
export type Json<T> = string & { readonly [content]: T };

export type SqlValue = string | number | null;

/** The text of one statement for each engine, and the order in which its parameters are bound. */
export interface SqlText {
  readonly sqlite: string;
  readonly postgres: string;
  /** SQLite binds one value per mark, so a name that is used twice is listed twice. */
  readonly sqliteNames: readonly string[];
  readonly postgresNames: readonly string[];
  /** Run before the statement itself, on PostgreSQL only: see `lock`. */
  readonly postgresLock?: { readonly text: string; readonly names: readonly string[] } | undefined;
}

export interface BoundStatement {
  readonly text: SqlText;
  readonly params: Readonly<Record<string, SqlValue>>;
  /** `nothing`: the engine may continue before the answer; if the statement fails, so does the transaction. */
  readonly take: 'all' | 'first' | 'changes' | 'nothing';
}

/** What a transaction requests at once: one statement, or several that do not need each other's results. */
export type Asked = BoundStatement | readonly BoundStatement[];

/**
 * A transaction: a generator that yields statements and gets their results. It cannot await anything else: SQLite
 * drives it synchronously, PostgreSQL asynchronously. It may run more than once, so it must have no side effects.
 */
export type Tx<T> = Generator<Asked, T, unknown>;

type Params = object;

/** Allows plain strings for JSON columns. */
type Given<P> = {
  readonly [K in keyof P]: P[K] extends infer V ? (V extends Json<unknown> ? string : V) : never;
};

/** One prepared statement with named, typed parameters and typed rows. */
export interface Statement<P extends Params, R> {
  /** Identifies the statement: a bound statement has the same text. */
  readonly text: SqlText;
  /** Every row. */
  all(params: Given<P>): Tx<R[]>;
  /** The first row, if there is one. */
  first(params: Given<P>): Tx<R | undefined>;
  /** Changes rows. On PostgreSQL the next statement does not wait for it. */
  run(params: Given<P>): Tx<void>;
  /** Changes rows and returns how many. */
  changes(params: Given<P>): Tx<number>;
}

interface SqlForEach {
  readonly sqlite: string;
  readonly postgres: string;
  /**
   * Takes locks on PostgreSQL, in a separate statement that runs first. A statement sees the rows as they were when
   * it began, not as they are when it gets its lock: one that locks a row and reads another would decide on data that may
   * have changed while it waited.
   */
  readonly lock?: string;
}

/**
 * Defines a statement. Write parameters as `:name` and quote identifiers, because PostgreSQL folds the others. Give a
 * text for each engine if they differ.
 */
export function statement<P extends Params, R = never>(sql: string | SqlForEach): Statement<P, R> {
  const text = compile(typeof sql === 'string' ? { sqlite: sql, postgres: sql } : sql);
  const bind = (params: Given<P>, take: BoundStatement['take']): BoundStatement => ({
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

/** A read that also locks its rows on PostgreSQL; SQLite has one writer and needs no lock. */
export const locking = (sql: string, clause: string): { sqlite: string; postgres: string } => ({
  sqlite: sql,
  postgres: `${sql} ${clause}`,
});

const PARAMETER = /(?<![:\w]):([a-zA-Z]\w*)/g;

/**
 * SQLite plans with the value of a bare `LIMIT ?` and so prepares the statement again whenever one is bound, which
 * costs more than most statements. It does not do so for an expression.
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
