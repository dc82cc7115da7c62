export type SqlValue = string | number | null;

/** The text of one statement for each engine, and the order in which its parameters are bound. */
export interface SqlText {
  readonly sqlite: string;
  readonly postgres: string;
  /** SQLite binds one value a mark, so a name used twice stands here twice. */
  readonly sqliteNames: readonly string[];
  readonly postgresNames: readonly string[];
  /** Run before the statement itself, on PostgreSQL only: see `verb`. */
  readonly postgresLock?: { readonly text: string; readonly names: readonly string[] } | undefined;
}

export interface Statement {
  readonly text: SqlText;
  readonly params: Readonly<Record<string, SqlValue>>;
  /** `nothing`: the engine may go on before it knows how it went; if it fails, so does the transaction. */
  readonly take: 'all' | 'first' | 'changes' | 'nothing';
}

/** What a transaction asks for at once: one statement, or several that do not need each other's results. */
export type Asked = Statement | readonly Statement[];

/**
 * What a transaction is: a generator that yields statements and gets their results. It cannot await
 * anything else, by construction: SQLite drives it synchronously, PostgreSQL asynchronously.
 * It may be run again from the start, so it must not have effects of its own.
 */
export type Tx<T> = Generator<Asked, T, unknown>;
