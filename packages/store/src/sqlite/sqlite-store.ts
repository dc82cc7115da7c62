import { type Durability, StoaError } from '@stoa/protocol';
import type { Migration } from '../schema/migration.js';
import { MIGRATIONS } from '../schema/migrations.js';
import type { Tx } from '../sql/statement.js';
import type { Store, TransactOptions } from '../store.js';
import type { SqliteDatabase } from './binding/database.js';
import { openSqlite } from './binding/open.js';
import { openingFailure, toStoaError } from './failure.js';
import { GroupCommit, type GroupCommitPorts, type GroupLimits } from './group-commit.js';
import { growWal, isWorthGrowing } from './grow-wal.js';
import { checkInThread, sqliteProblems } from './integrity.js';
import { migrateSqlite } from './migrate.js';
import { StatementRunner } from './statement-runner.js';
import { assertSafeSqlite, versionOf } from './version.js';

export interface SqliteStoreOptions {
  /** `full`: acknowledged means on disk. `relaxed`: a power cut may lose the last moments. */
  readonly durability: Durability;
  readonly ports?: Partial<GroupCommitPorts>;
  readonly group?: GroupLimits;
  readonly migrations?: readonly Migration[];
  /** The built file of search-thread.ts; without it the check of a large file blocks the event loop. */
  readonly checkThread?: URL;
}

const PAGE_BYTES = 4096;
/** The length of the WAL at which it is moved into the database. */
const CHECKPOINT_PAGES = 2_000;

/** Checking this many pages takes less time than starting a thread. */
const SMALL_PAGES = 512;

const DEFAULT_GROUP: GroupLimits = { members: 256, milliseconds: 20 };

/** One writer process, WAL. Takes an open database, so that simulation can own it. */
export class SqliteStore implements Store {
  readonly engine = 'sqlite';
  readonly engineVersion: string;
  readonly schemaVersion: number;
  readonly warnings: readonly string[] = [];
  readonly #runner: StatementRunner;
  readonly #commits: GroupCommit;
  #closed = false;
  readonly #closing = new AbortController();

  constructor(
    private readonly db: SqliteDatabase,
    private readonly options: SqliteStoreOptions,
  ) {
    this.engineVersion = versionOf(db);
    assertSafeSqlite(this.engineVersion);
    configure(db, options.durability);
    const migrations = options.migrations ?? MIGRATIONS;
    migrateSqlite(db, migrations);
    this.schemaVersion = migrations.length;
    this.#runner = new StatementRunner(db);
    this.#commits = new GroupCommit(
      db,
      this.#runner,
      { schedule: setImmediate, now: () => performance.now(), fatal: endProcess, ...options.ports },
      options.group ?? DEFAULT_GROUP,
    );
  }

  transact<T>(body: () => Tx<T>, options: TransactOptions<T> = {}): Promise<T> {
    if (this.#closed) return Promise.reject(new StoaError('shutting_down', 'The store is closed'));
    return this.#commits.transact(body, options);
  }

  // eslint-disable-next-line @typescript-eslint/require-await -- the port is asynchronous; this engine answers at once
  async read<T>(body: () => Tx<T>): Promise<T> {
    this.#assertOpen();
    if (this.#commits.running) throw new Error('read was called inside a transaction');
    try {
      return this.#runner.drive(body);
    } catch (error) {
      throw toStoaError(error);
    }
  }

  /** There is no other daemon: the lock of the data directory prevents it. */
  exclusively<T>(_: string, work: () => Promise<T>): Promise<T> {
    return work();
  }

  async integrityProblems(): Promise<string[]> {
    this.#assertOpen();
    const { checkThread } = this.options;
    if (!checkThread || this.db.memory || this.#isSmall()) return sqliteProblems(this.db);
    return checkInThread(checkThread, this.db.name, this.#closing.signal);
  }

  async backupTo(path: string): Promise<void> {
    this.#assertOpen();
    await this.db.backup(path);
  }

  // eslint-disable-next-line @typescript-eslint/require-await -- the port is asynchronous; this engine closes at once
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#commits.drain();
    this.#closed = true;
    this.#closing.abort();
    this.db.close();
  }

  #isSmall(): boolean {
    const pages = this.db.pragma('page_count', { simple: true }) as number;
    return pages <= SMALL_PAGES;
  }

  #assertOpen(): void {
    if (this.#closed) throw new StoaError('shutting_down', 'The store is closed');
  }
}

export function openSqliteStore(path: string, options: SqliteStoreOptions): SqliteStore {
  let db: SqliteDatabase | undefined;
  try {
    db = openSqlite(path);
    const store = new SqliteStore(db, options);
    const bytes = CHECKPOINT_PAGES * PAGE_BYTES;
    if (options.durability === 'full' && isWorthGrowing(path, bytes)) growWal(db, bytes);
    return store;
  } catch (error) {
    db?.close();
    throw openingFailure(error, path);
  }
}

function configure(db: SqliteDatabase, durability: Durability): void {
  db.pragma('journal_mode = WAL');
  db.pragma(`synchronous = ${durability === 'full' ? 'FULL' : 'NORMAL'}`);
  // Nobody else should write here; if somebody does, waiting blocks the event loop.
  db.pragma('busy_timeout = 1000');
  db.pragma(`wal_autocheckpoint = ${String(CHECKPOINT_PAGES)}`);
  db.pragma('cache_size = -65536');
  db.pragma('temp_store = MEMORY');
}

function endProcess(error: unknown): never {
  process.stderr.write(`stoa: the disk failed to sync, stopping at once: ${String(error)}\n`);
  process.exit(70);
}
