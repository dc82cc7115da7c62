import type pg from 'pg';
import { ConnectionLost } from './failure.js';

/** Longer than any work takes; whoever holds the lock has gone without a word. */
const LONGEST_WAIT_MS = 30_000;
/** Each holds a connection of its own, and a server has not many. */
const AT_ONCE = 4;

/**
 * Work that several daemons take turns at, by a lock of the server that ends with the connection it
 * was taken on, however that ends. Not on a connection of the pool: the work itself needs those, and
 * as many holders as there are connections would wait for each other for ever.
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

  /** A place that somebody waits for is handed on, not given up. */
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
