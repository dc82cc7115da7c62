import type { EngineKind } from '@stoa/protocol';
import type { Tx } from './sql/statement.js';

export interface TransactOptions<T> {
  /**
   * Transactions of one lane can share a commit, in the order of their arrival, which saves syncs and lock waits; on
   * PostgreSQL only those of one lane do. Name the topic that is written to.
   */
  readonly lane?: string;
  /** Called after the commit and before the caller is answered, in commit order. Must not throw. */
  readonly afterCommit?: (result: T) => void;
}

/** Durable storage. Promises: */
export interface Store {
  readonly engine: EngineKind;
  readonly engineVersion: string;
  readonly schemaVersion: number;
  /** What the owner should know about the configuration of the engine. */
  readonly warnings: readonly string[];

  /**
   * Runs a transaction and resolves after its commit is durable. If the body throws, nothing of it is visible and the
   * promise rejects with the same error. The body may run more than once. Calling it from inside a body throws.
   */
  transact<T>(body: () => Tx<T>, options?: TransactOptions<T>): Promise<T>;

  /** Runs reads against one committed state. */
  read<T>(body: () => Tx<T>): Promise<T>;

  /**
   * Runs work that is more than a transaction while no other daemon on this data runs work of the same name. Calls of
   * one daemon with the same name must not overlap. The work may transact and read.
   */
  exclusively<T>(name: string, work: () => Promise<T>): Promise<T>;

  /** Problems that the engine finds in its files; empty means none. */
  integrityProblems(): Promise<string[]>;

  /** Writes a consistent copy while others read and write: a SQLite file on both engines. */
  backupTo(path: string): Promise<void>;

  /**
   * If several daemons share the data: calls the listener with the name of a topic that another daemon has written
   * to, and with `*` when any may have grown. Hints can be repeated, late or wrong. The listener must not throw.
   * Returns a function that unsubscribes.
   */
  onTopicHint?(listener: (topic: string) => void): () => void;

  /** Lets committed work finish, refuses new work, releases files and connections. Idempotent. */
  close(): Promise<void>;
}
