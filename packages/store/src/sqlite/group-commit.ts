import type { Tx } from '../sql/statement.js';
import type { TransactOptions } from '../store.js';
import type { SqliteDatabase, SqliteStatement } from './binding/database.js';
import { endsProcess, losesTransaction, toStoaError } from './failure.js';
import type { StatementRunner } from './statement-runner.js';

/**
 * Group commit: transactions that arrive during a commit share the next one, and so one sync, in the order of their
 * arrival.
 *
 *   waiting ──flush──▶ running ──commit──▶ answered
 *      ▲                  │ the body throws: rolled back to its savepoint, the others continue
 *      └── not reached ───┤ (the group is limited by count and time)
 *                         ├ the whole transaction failed (disk full, damage …): every member runs
 *                         │ again alone, so that only those that cause a failure fail
 *                         └ BEGIN failed: all are refused, because each would wait as long
 *
 * Callers get their answers after the commit. A failed fsync ends the process.
 */
export interface GroupCommitPorts {
  /** Schedules the next flush. Simulation replaces it. */
  readonly schedule: (flush: () => void) => void;
  readonly now: () => number;
  /** Must not return. */
  readonly fatal: (error: unknown) => never;
}

export interface GroupLimits {
  readonly members: number;
  readonly milliseconds: number;
}

interface Waiting {
  readonly body: () => Tx<unknown>;
  readonly afterCommit: ((result: unknown) => void) | undefined;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

interface Refusal {
  readonly ok: false;
  readonly error: unknown;
  /** BEGIN failed. */
  readonly unbegun?: true;
}

type Outcome = { readonly ok: true; readonly value: unknown } | Refusal;

export class GroupCommit {
  #waiting: Waiting[] = [];
  #scheduled = false;
  #running = false;
  readonly #begin: SqliteStatement<[], unknown>;
  readonly #commit: SqliteStatement<[], unknown>;
  readonly #savepoint: SqliteStatement<[], unknown>;
  readonly #release: SqliteStatement<[], unknown>;
  readonly #rollbackTo: SqliteStatement<[], unknown>;

  constructor(
    private readonly db: SqliteDatabase,
    private readonly runner: StatementRunner,
    private readonly ports: GroupCommitPorts,
    private readonly limits: GroupLimits,
  ) {
    this.#begin = db.prepare<[]>('BEGIN IMMEDIATE');
    this.#commit = db.prepare<[]>('COMMIT');
    this.#savepoint = db.prepare<[]>('SAVEPOINT member');
    this.#release = db.prepare<[]>('RELEASE member');
    this.#rollbackTo = db.prepare<[]>('ROLLBACK TO member');
  }

  transact<T>(body: () => Tx<T>, options: TransactOptions<T>): Promise<T> {
    if (this.#running) throw new Error('transact was called inside a transaction');
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({
        body,
        afterCommit: options.afterCommit as Waiting['afterCommit'],
        resolve: resolve as Waiting['resolve'],
        reject,
      });
      this.#scheduleFlush();
    });
  }

  /** Whether the code of a transaction is running. */
  get running(): boolean {
    return this.#running;
  }

  /** Commits all waiting transactions now. */
  drain(): void {
    while (this.#waiting.length > 0) this.#flush();
  }

  #scheduleFlush(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.ports.schedule(() => {
      this.#scheduled = false;
      this.#flush();
    });
  }

  #flush(): void {
    if (this.#waiting.length === 0) return;
    const group = this.#waiting.splice(0, this.limits.members);
    this.#running = true;
    let outcomes: Outcome[];
    try {
      outcomes = group.length === 1 ? [this.#alone(group[0] as Waiting)] : this.#together(group);
    } finally {
      this.#running = false;
    }
    const unreached = group.slice(outcomes.length);
    if (unreached.length > 0) this.#waiting.unshift(...unreached);
    outcomes.forEach((outcome, i) => {
      answer(group[i] as Waiting, outcome);
    });
    if (this.#waiting.length > 0) this.#scheduleFlush();
  }

  #together(group: readonly Waiting[]): Outcome[] {
    const outcomes: Outcome[] = [];
    const deadline = this.ports.now() + this.limits.milliseconds;
    const refusal = this.#open();
    if (refusal) return group.map(() => refusal);
    try {
      for (const member of group) {
        outcomes.push(this.#member(member));
        if (this.ports.now() >= deadline) break;
      }
      this.#commit.run();
      return outcomes;
    } catch (error) {
      this.#rollback(error);
      return this.#oneByOne(group);
    }
  }

  #oneByOne(group: readonly Waiting[]): Outcome[] {
    const outcomes: Outcome[] = [];
    for (const member of group) {
      const last = outcomes.at(-1);
      outcomes.push(last?.ok === false && last.unbegun ? last : this.#alone(member));
    }
    return outcomes;
  }

  #member(member: Waiting): Outcome {
    this.#savepoint.run();
    try {
      const value = this.runner.drive(member.body);
      this.#release.run();
      return { ok: true, value };
    } catch (error) {
      if (losesTransaction(error) || !this.db.inTransaction) throw error;
      this.#rollbackTo.run();
      this.#release.run();
      return { ok: false, error: toStoaError(error) };
    }
  }

  #alone(member: Waiting): Outcome {
    const refusal = this.#open();
    if (refusal) return refusal;
    try {
      const value = this.runner.drive(member.body);
      this.#commit.run();
      return { ok: true, value };
    } catch (error) {
      this.#rollback(error);
      return { ok: false, error: toStoaError(error) };
    }
  }

  #open(): Refusal | undefined {
    try {
      this.#begin.run();
      return undefined;
    } catch (error) {
      if (endsProcess(error)) this.ports.fatal(error);
      return { ok: false, error: toStoaError(error), unbegun: true };
    }
  }

  #rollback(cause: unknown): void {
    if (endsProcess(cause)) this.ports.fatal(cause);
    try {
      if (this.db.inTransaction) this.db.exec('ROLLBACK');
    } catch {
      // The next BEGIN reports the error; the callers get the reason for the rollback.
    }
  }
}

function answer(member: Waiting, outcome: Outcome): void {
  if (!outcome.ok) {
    member.reject(outcome.error);
    return;
  }
  try {
    member.afterCommit?.(outcome.value);
    member.resolve(outcome.value);
  } catch (error) {
    // A defect of this member only; those after it were committed too and wait for their answers.
    member.reject(error);
  }
}
