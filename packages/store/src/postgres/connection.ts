import type pg from 'pg';
import {
  ConnectionLost,
  endsSession,
  isMissingAnswer,
  isOutdatedPlan,
  undoesCommit,
} from './failure.js';

/** One connection while somebody has it to himself, and whether it can still be trusted. */
export class Connection {
  #lost = false;
  #ahead: Promise<unknown>[] = [];
  readonly #onError = (): void => {
    this.#lost = true;
  };

  constructor(private readonly client: pg.PoolClient) {
    client.on('error', this.#onError);
  }

  /**
   * Sends a statement and does not wait for it: the next one is sent right behind it, which saves a
   * round trip, and fails with its error if it failed. Inside a transaction nothing is done after an
   * error; what goes ahead of BEGIN's answer must be harmless on its own.
   */
  ahead(config: pg.QueryConfig): void {
    const sent = this.client.query(config);
    sent.catch(() => undefined);
    this.#ahead.push(sent);
  }

  async query(config: pg.QueryConfig): Promise<pg.QueryResult<pg.QueryResultRow>> {
    const ahead = this.#takeAhead();
    const sent = this.client.query(config);
    try {
      if (ahead.length > 0) {
        sent.catch(() => undefined);
        for (const earlier of ahead) await earlier;
      }
      return await sent;
    } catch (error) {
      await Promise.allSettled([...ahead, sent]);
      throw this.#judge(error);
    }
  }

  /** One or several statements without parameters. */
  async control(text: string): Promise<void> {
    await this.query({ text });
  }

  async commit(): Promise<void> {
    await this.#settle();
    try {
      const { command } = await this.client.query('COMMIT');
      if (command !== 'COMMIT') throw new Error(`COMMIT was answered with ${command}`);
    } catch (error) {
      if (undoesCommit(error)) throw error;
      this.#lost = true;
      throw new ConnectionLost('commit', error);
    }
  }

  /** Ends a transaction, if one is open. Never throws: where it fails, the connection is lost. */
  async rollback(): Promise<void> {
    await this.#settle().catch(() => undefined);
    if (this.#lost || this.client.getTransactionStatus() === 'I') return;
    try {
      await this.client.query('ROLLBACK');
    } catch {
      this.#lost = true;
    }
  }

  release(): void {
    this.client.removeListener('error', this.#onError);
    this.client.release(this.#lost);
  }

  #takeAhead(): Promise<unknown>[] {
    const ahead = this.#ahead;
    if (ahead.length > 0) this.#ahead = [];
    return ahead;
  }

  async #settle(): Promise<void> {
    const outcomes = await Promise.allSettled(this.#takeAhead());
    const failure = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failure) throw this.#judge(failure.reason);
  }

  #judge(error: unknown): unknown {
    if (isMissingAnswer(error)) {
      this.#lost = true;
      return new ConnectionLost('connecting', error);
    }
    if (!this.#lost && !endsSession(error) && !isOutdatedPlan(error)) return error;
    this.#lost = true;
    return new ConnectionLost('before_commit', error);
  }
}
