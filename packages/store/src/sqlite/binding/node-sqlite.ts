import { existsSync } from 'node:fs';
import type { SqlValue } from '../../sql/statement.js';
import { nameOfCode } from './code.js';
import type {
  OpenOptions,
  SqliteBinding,
  SqliteChange,
  SqliteDatabase,
  SqliteStatement,
} from './database.js';

/** The part of `node:sqlite` that is used; the types of Node 20 lack it. */
interface NodeSqlite {
  readonly DatabaseSync: new (
    path: string,
    options: {
      readonly readOnly?: boolean;
      readonly timeout?: number;
      readonly defensive?: boolean;
    },
  ) => DatabaseSync;
  readonly backup: (
    source: DatabaseSync,
    path: string,
    options: { readonly rate: number },
  ) => Promise<number>;
}

interface DatabaseSync {
  readonly isTransaction: boolean;
  prepare(sql: string): StatementSync;
  exec(sql: string): void;
  close(): void;
  /** Node 24 and newer. */
  serialize?(): Uint8Array;
  deserialize?(image: Uint8Array): void;
}

interface StatementSync {
  get(...values: readonly SqlValue[]): unknown;
  all(...values: readonly SqlValue[]): unknown[];
  iterate(...values: readonly SqlValue[]): IterableIterator<unknown>;
  run(...values: readonly SqlValue[]): SqliteChange;
}

/** The default of better-sqlite3. */
const TIMEOUT_MS = 5_000;
const CACHE = 'PRAGMA cache_size = -16000';

/** All pages in one step: with several, each commit between them would restart the backup. */
const ALL_PAGES = 0x7fff_ffff;

/** The SQLite of Node. */
export function loadNodeSqlite(): SqliteBinding {
  const sqlite = loadQuietly();
  const open = (path: string, options: OpenOptions): NodeDatabase =>
    new NodeDatabase(sqlite, path, options);
  return {
    open,
    openImage(image) {
      const db = open(':memory:', {});
      db.replaceWith(image);
      return db;
    },
  };
}

class NodeDatabase implements SqliteDatabase {
  readonly memory: boolean;
  readonly #db: DatabaseSync;

  constructor(
    private readonly sqlite: NodeSqlite,
    readonly name: string,
    { readonly = false, fileMustExist = false, timeout = TIMEOUT_MS }: OpenOptions,
  ) {
    this.memory = name === ':memory:';
    if (fileMustExist && !existsSync(name)) {
      throw Object.assign(new Error('unable to open database file'), { code: 'SQLITE_CANTOPEN' });
    }
    this.#db = named(() => {
      // Node 22 opens the file here; a file that is not a database fails at the first statement.
      return new sqlite.DatabaseSync(name, { readOnly: readonly, timeout, defensive: true });
    });
    try {
      this.exec(CACHE);
    } catch (error) {
      this.#db.close();
      throw error;
    }
  }

  get inTransaction(): boolean {
    return this.#db.isTransaction;
  }

  prepare<Values extends readonly SqlValue[], Row>(sql: string): SqliteStatement<Values, Row> {
    return new NodeStatement<Values, Row>(named(() => this.#db.prepare(sql)));
  }

  exec(sql: string): void {
    named(() => {
      this.#db.exec(sql);
    });
  }

  pragma(text: string, { simple = false }: { readonly simple?: boolean } = {}): unknown {
    const rows = this.prepare<[], object>(`PRAGMA ${text}`).all();
    return simple ? Object.values(rows[0] ?? {})[0] : rows;
  }

  /** Node copies in another thread, so it must not read from this connection: writes would interfere with it. */
  async backup(path: string): Promise<void> {
    const source = new this.sqlite.DatabaseSync(this.name, {
      readOnly: true,
      timeout: TIMEOUT_MS,
    });
    try {
      await this.sqlite.backup(source, path, { rate: ALL_PAGES });
    } catch (error) {
      throw withName(error);
    } finally {
      source.close();
    }
  }

  serialize(): Uint8Array {
    if (!this.#db.serialize) throw new Error('This Node cannot serialize a database');
    return this.#db.serialize();
  }

  replaceWith(image: Uint8Array): void {
    if (!this.#db.deserialize) throw new Error('This Node cannot deserialize a database');
    this.#db.deserialize(image);
  }

  close(): void {
    named(() => {
      this.#db.close();
    });
  }
}

class NodeStatement<Values extends readonly SqlValue[], Row>
  implements SqliteStatement<Values, Row>
{
  constructor(private readonly statement: StatementSync) {}

  get(...values: Values): Row | undefined {
    try {
      return this.statement.get(...values) as Row | undefined;
    } catch (error) {
      throw withName(error);
    }
  }

  all(...values: Values): Row[] {
    try {
      return this.statement.all(...values) as Row[];
    } catch (error) {
      throw withName(error);
    }
  }

  *iterate(...values: Values): IterableIterator<Row> {
    try {
      yield* this.statement.iterate(...values) as IterableIterator<Row>;
    } catch (error) {
      throw withName(error);
    }
  }

  run(...values: Values): SqliteChange {
    try {
      return this.statement.run(...values);
    } catch (error) {
      throw withName(error);
    }
  }
}

function named<T>(body: () => T): T {
  try {
    return body();
  } catch (error) {
    throw withName(error);
  }
}

/** Node uses `ERR_SQLITE_ERROR` for all errors, with the result code as a number. */
function withName(error: unknown): unknown {
  if (!(error instanceof Error) || !('errcode' in error)) return error;
  const { errcode } = error;
  return typeof errcode === 'number' ? Object.assign(error, { code: nameOfCode(errcode) }) : error;
}

/**
 * Some versions of Node warn that their SQLite is experimental. choose-binding.ts decides which ones are safe, so
 * that warning is suppressed; others pass.
 */
function loadQuietly(): NodeSqlite {
  const original = Object.getOwnPropertyDescriptor(process, 'emitWarning') ?? {};
  const pass = process.emitWarning.bind(process) as (...args: unknown[]) => void;
  const value = (warning: unknown, ...rest: unknown[]): void => {
    const isOurs = rest[0] === 'ExperimentalWarning' && String(warning).startsWith('SQLite ');
    if (!isOurs) pass(warning, ...rest);
  };
  Object.defineProperty(process, 'emitWarning', { ...original, value });
  try {
    return process.getBuiltinModule('node:sqlite') as unknown as NodeSqlite;
  } finally {
    Object.defineProperty(process, 'emitWarning', original);
  }
}
