import type { SqlText, Tx } from '../sql/statement.js';
import { isOne } from '../sql/together.js';
import type { Connection } from './connection.js';
import type { Connections } from './connections.js';
import { withRetries } from './retry.js';
import type { StatementRunner } from './statement-runner.js';

/**
 * Reads see one committed state. One statement does so alone; several need a snapshot, which costs two more round
 * trips. The number of statements is unknown when a read begins, so it is learnt: a read whose first statement was
 * followed by others before gets a snapshot from the start; any other is tried without one and runs again if it
 * continues.
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
        // The answer is known and need not wait for the rollback of the snapshot.
        void connection.rollback().then(() => {
          connection.release();
        });
      }
    }, this.connections.size);
  }

  async #read<T>(connection: Connection, body: () => Tx<T>): Promise<T> {
    const begun = this.runner.begin(body);
    const { tx, step } = begun;
    if (step.done) return step.value;
    const asked = step.value;
    if (!isOne(asked) || this.#goesOn.has(asked.text)) {
      connection.ahead({ text: SNAPSHOT });
      return (await this.runner.finish(connection, begun)).value;
    }
    const { step: second } = await this.runner.advance(connection, tx, asked);
    if (second.done) return second.value;
    this.#goesOn.add(asked.text);
    connection.ahead({ text: SNAPSHOT });
    return (await this.runner.drive(connection, body)).value;
  }
}

const SNAPSHOT = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';
