import { StoaError } from '@stoa/protocol';
import type pg from 'pg';
import type { Migration } from '../schema/migration.js';
import { MIGRATIONS } from '../schema/migrations.js';
import type { Tx } from '../sql/statement.js';
import type { Store, TransactOptions } from '../store.js';
import { type ConnectionOptions, Connections } from './connections.js';
import { copyToSqlite } from './copy-to-sqlite.js';
import { ExclusiveWork } from './exclusive-work.js';
import { toStoaError } from './failure.js';
import { findPostgresProblems } from './integrity.js';
import { type LaneLimits, Lanes } from './lanes.js';
import { migratePostgres } from './migrate.js';
import { Reads } from './reads.js';
import { StatementRunner } from './statement-runner.js';
import { type HintTimes, TopicHints, type TopicListener } from './topic-hints.js';
import { Transactions } from './transaction.js';

export interface PostgresStoreOptions extends ConnectionOptions {
  readonly group?: LaneLimits;
  readonly hints?: Partial<HintTimes>;
  readonly migrations?: readonly Migration[];
}

/** Other daemons wait for the topic while a group runs. */
const DEFAULT_GROUP: LaneLimits = { members: 128, milliseconds: 25 };
const DEFAULT_HINTS: HintTimes = { sweepMs: 15_000, answerMs: 10_000 };

/** Connects, and migrates the schema. */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<PostgresStore> {
  const connections = new Connections(options);
  const migrations = options.migrations ?? MIGRATIONS;
  try {
    const client = await connections.dedicated();
    try {
      const server = await assertUsable(client);
      await migratePostgres(client, migrations);
      return new PostgresStore(connections, server, migrations, options);
    } finally {
      await client.end();
    }
  } catch (error) {
    await connections.close();
    throw toStoaError(error);
  }
}

/**
 * One database for several daemons.
 *
 * `afterCommit` runs in commit order within a lane; between lanes it runs in the order of the server's answers. If a
 * connection is lost during a commit, the outcome is unknown: the transaction is rejected with `storage_unavailable`
 * and does not run again.
 */
export class PostgresStore implements Store {
  readonly engine = 'postgres';
  readonly engineVersion: string;
  readonly schemaVersion: number;
  readonly warnings: readonly string[];
  readonly #runner = new StatementRunner();
  readonly #transactions: Transactions;
  readonly #lanes: Lanes;
  readonly #reads: Reads;
  readonly #hints: TopicHints;
  readonly #exclusive: ExclusiveWork;
  readonly #working = new Set<Promise<unknown>>();
  #closed: Promise<void> | undefined;

  constructor(
    private readonly connections: Connections,
    server: Server,
    private readonly migrations: readonly Migration[],
    options: Pick<PostgresStoreOptions, 'group' | 'hints' | 'durability'>,
  ) {
    this.engineVersion = server.version;
    this.warnings = options.durability === 'full' && !server.syncs ? [UNSYNCED] : [];
    this.schemaVersion = migrations.length;
    this.#transactions = new Transactions(connections, this.#runner);
    this.#lanes = new Lanes(this.#transactions, options.group ?? DEFAULT_GROUP);
    this.#reads = new Reads(connections, this.#runner);
    this.#exclusive = new ExclusiveWork(() => connections.dedicated());
    this.#hints = new TopicHints(() => connections.dedicated(), {
      ...DEFAULT_HINTS,
      ...options.hints,
    });
  }

  transact<T>(body: () => Tx<T>, options: TransactOptions<T> = {}): Promise<T> {
    if (this.#runner.stepping) throw new Error('transact was called inside a transaction');
    return this.#work(() => this.#commit(body, options));
  }

  read<T>(body: () => Tx<T>): Promise<T> {
    return this.#work(() => this.#reads.run(body));
  }

  exclusively<T>(name: string, work: () => Promise<T>): Promise<T> {
    return this.#work(() => this.#exclusive.run(name, work));
  }

  integrityProblems(): Promise<string[]> {
    return this.#work(() => this.#withOwnConnection(findPostgresProblems));
  }

  backupTo(path: string): Promise<void> {
    return this.#work(() =>
      this.#withOwnConnection((client) => copyToSqlite(client, path, this.migrations)),
    );
  }

  onTopicHint(listener: TopicListener): () => void {
    return this.#hints.listen(listener);
  }

  close(): Promise<void> {
    this.#closed ??= this.#finish();
    return this.#closed;
  }

  async #commit<T>(body: () => Tx<T>, { lane, afterCommit }: TransactOptions<T>): Promise<T> {
    const outcome = await (lane === undefined
      ? this.#transactions.alone(body)
      : this.#lanes.run(lane, body));
    if (!outcome.ok) throw outcome.error;
    this.#hints.announce(outcome.topics);
    const value = outcome.value as T;
    afterCommit?.(value);
    return value;
  }

  async #finish(): Promise<void> {
    await Promise.allSettled(this.#working);
    await this.#hints.close();
    await this.connections.close();
  }

  async #work<T>(start: () => Promise<T>): Promise<T> {
    if (this.#closed) throw new StoaError('shutting_down', 'The store is closed');
    const work = start();
    this.#working.add(work);
    try {
      return await work;
    } catch (error) {
      throw toStoaError(error);
    } finally {
      this.#working.delete(work);
    }
  }

  async #withOwnConnection<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    const client = await this.connections.dedicated();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  }
}

interface Server {
  readonly version: string;
  /** Whether it waits for its disk at all. */
  readonly syncs: boolean;
}

const UNSYNCED =
  'the database server runs with fsync = off: a power cut there may lose messages that were acknowledged';

async function assertUsable(client: pg.Client): Promise<Server> {
  const { rows } = await client.query<{ version: string; encoding: string; fsync: string }>(
    `SELECT current_setting('server_version') AS "version",
       current_setting('server_encoding') AS "encoding", current_setting('fsync') AS "fsync"`,
  );
  const { version = '', encoding = '', fsync = '' } = rows[0] ?? {};
  if (encoding === 'UTF8') return { version, syncs: fsync === 'on' };
  throw new StoaError(
    'config_invalid',
    `The database has the encoding ${encoding}; UTF8 is needed`,
  );
}
