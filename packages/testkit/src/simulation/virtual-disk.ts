import Database from 'better-sqlite3';

/** The machine stopped. Nothing that runs on it may go on after this. */
export class SimulatedCrash extends Error {
  override readonly name = 'SimulatedCrash';
}

export type CommitFault =
  /** Before that many statements more have run, a COMMIT included. */
  | { readonly kind: 'crash_at_statement'; readonly after: number }
  /** On disk, but nobody was told. */
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
 * and its answer. A crash leaves the image of the last commit, from which it is opened again.
 */
export class VirtualDisk {
  #db: Database.Database;
  /** Prepared once for each database. */
  readonly #queries = new Map<string, Database.Statement>();
  #image: Buffer;
  /** What a forgetful disk goes back to. */
  #imageBefore: Buffer;
  #fault: CommitFault | undefined;
  #statementsLeft = 0;
  #dead = false;
  #isCommitting = false;
  #pagesLeft: number | undefined;

  constructor(
    image: Buffer,
    private readonly watcher: DiskWatcher,
    private readonly isForgetful = false,
  ) {
    this.#image = image;
    this.#imageBefore = image;
    this.#db = this.#open();
  }

  /** Every row of a query that looks on from outside. */
  rows<T>(sql: string, ...values: readonly unknown[]): T[] {
    let statement = this.#queries.get(sql);
    if (!statement) {
      statement = this.#db.prepare(sql);
      this.#queries.set(sql, statement);
    }
    return statement.all(...values) as T[];
  }

  get db(): Database.Database {
    return this.#db;
  }

  get isFull(): boolean {
    return this.#pagesLeft !== undefined;
  }

  get isInTransaction(): boolean {
    return this.#db.inTransaction;
  }

  get isCommitting(): boolean {
    return this.#isCommitting;
  }

  get isDead(): boolean {
    return this.#dead;
  }

  /** Leaves room for that many pages more; undefined takes the limit away. */
  setPagesLeft(pages: number | undefined): void {
    this.#pagesLeft = pages;
    const used = this.#db.pragma('page_count', { simple: true }) as number;
    const limit = pages === undefined ? PLENTY_OF_PAGES : used + pages;
    this.#db.pragma(`max_page_count = ${limit}`);
  }

  /** Lets somebody commit, with a fault if there is one; afterwards the disk is as it was, unless it crashed. */
  commit(fault: CommitFault | undefined, run: () => void): void {
    this.#fault = fault;
    this.#isCommitting = true;
    if (fault?.kind === 'crash_at_statement') this.#statementsLeft = fault.after;
    if (fault?.kind.startsWith('crash')) this.#image = this.#db.serialize();
    try {
      run();
    } catch (error) {
      if (!(error instanceof SimulatedCrash)) throw error;
    } finally {
      this.#fault = undefined;
      this.#isCommitting = false;
    }
  }

  /** What a process that died in the middle leaves behind is opened again. */
  crash(): void {
    if (!this.#dead) this.#image = this.#db.serialize();
    if (this.isForgetful) this.#image = this.#imageBefore;
    this.#db.close();
    this.#dead = false;
    this.#db = this.#open();
    this.setPagesLeft(this.#pagesLeft);
  }

  close(): void {
    this.#db.close();
  }

  #open(): Database.Database {
    const db = new Database(this.#image);
    this.#queries.clear();
    const prepare = db.prepare.bind(db) as (sql: string) => Database.Statement;
    db.prepare = ((sql: string) => this.#instrument(db, sql, prepare(sql))) as typeof db.prepare;
    return db;
  }

  #instrument(
    db: Database.Database,
    sql: string,
    statement: Database.Statement,
  ): Database.Statement {
    for (const name of ['run', 'get', 'all'] as const) {
      const execute = statement[name].bind(statement) as (...values: unknown[]) => never;
      statement[name] = (...values: unknown[]): never => {
        this.#beforeStatement();
        if (sql !== 'COMMIT') {
          if (sql.startsWith('BEGIN')) this.#begin(db);
          return execute(...values);
        }
        return this.#commit(db, execute);
      };
    }
    return statement;
  }

  #begin(db: Database.Database): void {
    if (this.isForgetful) this.#imageBefore = db.serialize();
    this.watcher.begun();
  }

  #beforeStatement(): void {
    if (this.#dead) throw new SimulatedCrash();
    if (this.#fault?.kind !== 'crash_at_statement') return;
    if (this.#statementsLeft === 0) this.#die();
    this.#statementsLeft -= 1;
  }

  #commit(db: Database.Database, execute: () => never): never {
    if (this.#fault?.kind === 'full_at_commit') {
      if (this.#fault.rollsBack) db.exec('ROLLBACK');
      this.#fault = undefined;
      throw new Database.SqliteError('database or disk is full', 'SQLITE_FULL');
    }
    const result = execute();
    this.watcher.committed();
    if (this.#fault?.kind.startsWith('crash')) this.#image = db.serialize();
    if (this.#fault?.kind === 'crash_after_commit') this.#die();
    return result;
  }

  #die(): never {
    this.#dead = true;
    throw new SimulatedCrash();
  }
}
