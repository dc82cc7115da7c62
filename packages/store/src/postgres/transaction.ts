import type { Asked, Tx } from '../sql/statement.js';
import type { Connection } from './connection.js';
import type { Connections } from './connections.js';
import { ConnectionLost, isContention, toStoaError } from './failure.js';
import { mayTryAgain, withRetries } from './retry.js';
import type { Driven, StatementRunner } from './statement-runner.js';

/**
 * Commits transactions, alone or in groups.
 *
 * In a group every member has a savepoint: one that fails is rolled back alone. If the whole transaction is lost (a
 * deadlock, a dead connection), nothing of it was stored and every member runs again alone. If the connection is lost
 * during the commit, the outcome is unknown: all members are rejected, and none runs again.
 */
export type Body = () => Tx<unknown>;

export type Outcome =
  | ({ readonly ok: true } & Driven<unknown>)
  | { readonly ok: false; readonly error: unknown };

/** Names both settings, because a role or a database may have other defaults. */
const BEGIN = 'BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE';

export class Transactions {
  constructor(
    private readonly connections: Connections,
    private readonly runner: StatementRunner,
  ) {}

  async alone(body: Body): Promise<Outcome> {
    try {
      return { ok: true, ...(await this.#withRetries(body)) };
    } catch (error) {
      return failed(error);
    }
  }

  /**
   * Commits bodies together, in their order. `goOn` is called after each and decides whether the next one is
   * admitted. Returns one outcome per admitted body.
   */
  async together(bodies: readonly Body[], goOn: (outcome: Outcome) => boolean): Promise<Outcome[]> {
    const outcomes: Outcome[] = [];
    try {
      await this.connections.use(async (connection) => {
        for (const body of bodies) {
          const outcome = await this.#member(connection, body, outcomes.length === 0);
          outcomes.push(outcome);
          if (!goOn(outcome)) break;
        }
        await connection.commit();
      });
      return outcomes;
    } catch (error) {
      if (!(error instanceof ConnectionLost) || error.phase === 'before_commit') {
        return this.#oneByOne(bodies);
      }
      if (error.phase === 'connecting') return bodies.map(() => failed(error));
      return outcomes.map((outcome) => (outcome.ok ? failed(error) : outcome));
    }
  }

  #withRetries(body: Body): Promise<Driven<unknown>> {
    return withRetries(() => this.#attempt(body), this.connections.size);
  }

  async #attempt(body: Body): Promise<Driven<unknown>> {
    return this.connections.use(async (connection) => {
      const begun = this.runner.begin(body);
      if (begun.step.done) return { value: begun.step.value, topics: [] };
      if (isRead(begun.step.value)) connection.ahead({ text: BEGIN });
      else await connection.control(BEGIN);
      const driven = await this.runner.finish(connection, begun);
      await connection.commit();
      return driven;
    });
  }

  async #member(connection: Connection, body: Body, first: boolean): Promise<Outcome> {
    if (first) await connection.control(`${BEGIN}; SAVEPOINT "member"`);
    else connection.ahead({ text: 'RELEASE SAVEPOINT "member"; SAVEPOINT "member"' });
    for (let tries = 1; ; tries++) {
      try {
        return { ok: true, ...(await this.runner.drive(connection, body)) };
      } catch (error) {
        if (error instanceof ConnectionLost || isContention(error)) throw error;
        // Statements sent after the failed one failed with it; that must not fail the next member.
        await connection.settle().catch(() => undefined);
        await connection.control('ROLLBACK TO SAVEPOINT "member"');
        if (!mayTryAgain(error, tries)) return failed(error);
      }
    }
  }

  /** Without a server every member would wait for the same refusal in turn, so the first refusal is used for all. */
  async #oneByOne(bodies: readonly Body[]): Promise<Outcome[]> {
    const outcomes: Outcome[] = [];
    for (const body of bodies) {
      const outcome = await this.alone(body);
      outcomes.push(outcome);
      if (!outcome.ok && isUnreachable(outcome.error)) break;
    }
    const last = outcomes.at(-1);
    while (last && outcomes.length < bodies.length) outcomes.push(last);
    return outcomes;
  }
}

/** If BEGIN fails, which is known later, a write sent after it would run outside a transaction. */
const isRead = (asked: Asked): boolean =>
  [asked]
    .flat()
    .every(({ text, take }) => take !== 'nothing' && /^\s*SELECT\b/.test(text.postgres));

const failed = (error: unknown): Outcome => ({ ok: false, error: toStoaError(error) });

const isUnreachable = (error: unknown): boolean =>
  error instanceof Error &&
  error.cause instanceof ConnectionLost &&
  error.cause.phase === 'connecting';
