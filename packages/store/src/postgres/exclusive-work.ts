import type pg from 'pg';
import { ConnectionLost } from './failure.js';

/** Longer than any work takes: after this time the holder of the lock is gone. */
const LONGEST_WAIT_MS = 30_000;
/** Each holds a separate connection, of which a server has few. */
const AT_ONCE = 4;

/**
 * Work that daemons do one at a time, under a lock of the server that ends with its connection. The connection is not
 * one of the pool: the work needs those, and with as many holders as connections all would wait forever.
 */
export class ExclusiveWork {
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(private readonly connect: () => Promise<pg.Client>) {}

  async run<T>(name: string, work: () => Promise<T>): Promise<T> {
    await this.#enter();
    try {
      const client = await this.connect();
      try {
        await lock(client, name);
        return await work();
      } finally {
        await client.end();
      }
    } finally {
      this.#leave();
    }
  }

  async #enter(): Promise<void> {
    if (this.#running < AT_ONCE) this.#running += 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** Passes the slot to the next waiter, if there is one. */
  #leave(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#running -= 1;
  }
}

async function lock(client: pg.Client, name: string): Promise<void> {
  const text = 'SELECT pg_advisory_lock(hashtextextended($1, 0))';
  const query = { text, values: [name], query_timeout: LONGEST_WAIT_MS };
  try {
    await client.query(query);
  } catch (error) {
    throw new ConnectionLost('connecting', error);
  }
}
