import type pg from 'pg';
import { ConnectionLost, endsSession, undoesCommit } from './failure.js';

/** One connection while somebody has it to himself, and whether it can still be trusted. */
export class Connection {
  #lost = false;
  readonly #onError = (): void => {
    this.#lost = true;
  };

  constructor(private readonly client: pg.PoolClient) {
    client.on('error', this.#onError);
  }

  async query(config: pg.QueryConfig): Promise<pg.QueryResult<pg.QueryResultRow>> {
    try {
      return await this.client.query(config);
    } catch (error) {
      throw this.#judge(error);
    }
  }

  /** One or several statements without parameters. */
  async control(text: string): Promise<void> {
    await this.query({ text });
  }

  async commit(): Promise<void> {
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

  #judge(error: unknown): unknown {
    if (!this.#lost && !endsSession(error)) return error;
    this.#lost = true;
    return new ConnectionLost('before_commit', error);
  }
}
