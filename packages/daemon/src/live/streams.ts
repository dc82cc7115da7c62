import { StoaError } from '@stoa/protocol';
import type { CloseReason, Connection } from './connection.js';

/** All open live streams: their limit, and how they end. */
export class Streams {
  readonly #open = new Set<Connection>();

  constructor(private readonly limit: number) {}

  get count(): number {
    return this.#open.size;
  }

  assertRoom(): void {
    if (this.#open.size < this.limit) return;
    throw new StoaError(
      'too_many_streams',
      `At most ${String(this.limit)} live streams may be open`,
    );
  }

  add(connection: Connection): void {
    this.#open.add(connection);
  }

  remove(connection: Connection): void {
    this.#open.delete(connection);
  }

  endAll(reason: CloseReason): void {
    for (const connection of this.#open) connection.end(reason);
  }
}
