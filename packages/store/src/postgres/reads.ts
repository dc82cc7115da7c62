import type { SqlText, Tx } from '../sql/statement.js';
import type { Connection } from './connection.js';
import type { Connections } from './connections.js';
import { withRetries } from './retry.js';
import type { StatementRunner } from './statement-runner.js';

/**
 * Reads see one committed state. One statement does so by itself; several need a snapshot, and that
 * costs two more round trips. Which it will be is not known before the second statement is asked for,
 * so it is learnt: a read that begins like one that went on gets a snapshot from the start, any other
 * is tried without and run again if it goes on.
 */
export class Reads {
  readonly #goesOn = new WeakSet<SqlText>();

  constructor(
    private readonly connections: Connections,
    private readonly runner: StatementRunner,
  ) {}

  run<T>(body: () => Tx<T>): Promise<T> {
    return withRetries(async () => {
      const connection = await this.connections.lend();
      try {
        return await this.#read(connection, body);
      } finally {
        // The answer is known and does not wait for the snapshot to be given up.
        void connection.rollback().then(() => {
          connection.release();
        });
      }
    });
  }

  async #read<T>(connection: Connection, body: () => Tx<T>): Promise<T> {
    const { tx, first } = this.runner.begin(body);
    if (first.done) return first.value;
    const { text } = first.value;
    if (!this.#goesOn.has(text)) {
      const result = await this.runner.execute(connection, first.value);
      const second = this.runner.next(tx, result);
      if (second.done) return second.value;
      this.#goesOn.add(text);
    }
    await connection.control('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    return (await this.runner.drive(connection, body)).value;
  }
}
