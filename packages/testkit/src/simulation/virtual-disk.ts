import type { SqliteDatabase, SqlValue } from '@stoa/store';
import { ReusedDatabase } from './reused-database.js';

/** The machine stopped. Nothing that runs on it may go on after this. */
export class SimulatedCrash extends Error {
  override readonly name = 'SimulatedCrash';
}

export type CommitFault =
  /** Before that many statements more have run, a COMMIT included. */
  | { readonly kind: 'crash_at_statement'; readonly after: number }
  /** On disk, but not acknowledged. */
  | { readonly kind: 'crash_after_commit' }
  /** The commit itself finds no room; the engine may or may not have rolled back by itself. */
  | { readonly kind: 'full_at_commit'; readonly rollsBack: boolean };

export interface DiskWatcher {
  begun(): void;
  committed(): void;
}

const PLENTY_OF_PAGES = 1_000_000;

/**
 * A database in memory that can be full, and that can crash: at any statement, or between a commit
 * and its answer. A crash leaves what the last commit left.
 */
export class VirtualDisk {
  #database: ReusedDatabase;
  /** The state to which a disk that loses writes returns. */
  #imageBefore: Uint8Array;
  #fault: CommitFault | undefined;
  #statementsLeft = 0;
  #dead = false;
  #isCommitting = false;
  #pagesLeft: number | undefined;

  constructor(
    image: Uint8Array,
    private readonly watcher: Partial<DiskWatcher> = {},
    private readonly isForgetful = false,
  ) {
    this.#imageBefore = image;
    this.#database = this.#open(image);
  }

  /** Every row of a query that looks on from outside. */
  rows<T>(sql: string, ...values: readonly SqlValue[]): T[] {
    return this.#database.rows<T>(sql, ...values);
  }

  get db(): SqliteDatabase {
    return this.#database.db;
  }

  get isFull(): boolean {
    return this.#pagesLeft !== undefined;
  }

  get isInTransaction(): boolean {
    return this.db.inTransaction;
  }

  get isCommitting(): boolean {
    return this.#isCommitting;
  }

  get isDead(): boolean {
    return this.#dead;
  }

  /** Leaves space for that many more pages; undefined removes the limit. */
  setPagesLeft(pages: number | undefined): void {
    this.#pagesLeft = pages;
    const used = this.db.pragma('page_count', { simple: true }) as number;
    const limit = pages === undefined ? PLENTY_OF_PAGES : used + pages;
    this.db.pragma(`max_page_count = ${limit}`);
  }

  /** Commits a transaction, with a fault if there is one. The fault is removed afterwards, unless the disk crashed. */
  commit(fault: CommitFault | undefined, run: () => void): void {
    this.#fault = fault;
    this.#isCommitting = true;
    if (fault?.kind === 'crash_at_statement') this.#statementsLeft = fault.after;
    try {
      run();
    } catch (error) {
      if (!(error instanceof SimulatedCrash)) throw error;
    } finally {
      this.#fault = undefined;
      this.#isCommitting = false;
    }
  }

  /** What a killed process leaves: nothing that was not committed. */
  crash(): void {
    this.#dead = false;
    if (this.isForgetful) {
      this.#database.giveBack();
      this.#database = this.#open(this.#imageBefore);
    } else if (this.db.inTransaction) this.db.exec('ROLLBACK');
    this.setPagesLeft(this.#pagesLeft);
  }

  close(): void {
    this.#database.giveBack();
  }

  #open(image: Uint8Array): ReusedDatabase {
    return ReusedDatabase.take(image, (db, sql, execute) => {
      this.#beforeStatement();
      if (sql === 'COMMIT') return this.#commit(db, execute);
      if (sql.startsWith('BEGIN')) this.#begin(db);
      return execute();
    });
  }

  #begin(db: SqliteDatabase): void {
    if (this.isForgetful) this.#imageBefore = db.serialize();
    this.watcher.begun?.();
  }

  #beforeStatement(): void {
    if (this.#dead) throw new SimulatedCrash();
    if (this.#fault?.kind !== 'crash_at_statement') return;
    if (this.#statementsLeft === 0) this.#die();
    this.#statementsLeft -= 1;
  }

  #commit(db: SqliteDatabase, execute: () => never): never {
    if (this.#fault?.kind === 'full_at_commit') {
      if (this.#fault.rollsBack) db.exec('ROLLBACK');
      this.#fault = undefined;
      throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
    }
    const result = execute();
    this.watcher.committed?.();
    if (this.#fault?.kind === 'crash_after_commit') this.#die();
    return result;
  }

  #die(): never {
    this.#dead = true;
    throw new SimulatedCrash();
  }
}
