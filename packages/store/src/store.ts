import type { EngineKind } from '@stoa/protocol';
import type { Tx } from './sql/statement.js';

export interface TransactOptions<T> {
  /**
   * Transactions of one lane are committed together where that saves a sync or a lock wait, in the
   * order they came; on PostgreSQL only those of one lane are. Name the topic that is written to.
   */
  readonly lane?: string;
  /** Called after the commit and before the caller is answered, in commit order. Must not throw. */
  readonly afterCommit?: (result: T) => void;
}

/** The durable truth. Promises: */
export interface Store {
  readonly engine: EngineKind;
  readonly engineVersion: string;
  readonly schemaVersion: number;
  /** What the owner should know of how the engine runs. */
  readonly warnings: readonly string[];

  /**
   * Runs a transaction and resolves after its commit is durable. If the body throws, nothing of it
   * is visible and the promise rejects with what it threw. The body may be run more than once.
   * Calling it from inside a body throws.
   */
  transact<T>(body: () => Tx<T>, options?: TransactOptions<T>): Promise<T>;

  /** Runs reads against one committed state. */
  read<T>(body: () => Tx<T>): Promise<T>;

  /**
   * Runs work that is more than a transaction while no other daemon on this data runs work of the same
   * name. Calls of one daemon with the same name must not overlap. Work may transact and read.
   */
  exclusively<T>(name: string, work: () => Promise<T>): Promise<T>;

  /** Problems the engine finds in its own files; empty means none. */
  integrityProblems(): Promise<string[]>;

  /** Writes a consistent copy, a SQLite file whatever the engine, while others read and write. */
  backupTo(path: string): Promise<void>;

  /**
   * Where several daemons share the data: calls the listener with the name of a topic that another
   * daemon has written to, and with `*` when any may have grown. Only hints: one can come twice, late,
   * or for nothing. The listener must not throw. Returns what ends it.
   */
  onTopicHint?(listener: (topic: string) => void): () => void;

  /** Lets committed work finish, refuses new work, releases files and connections. Idempotent. */
  close(): Promise<void>;
}
