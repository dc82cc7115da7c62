import type { Durability } from '@stoa/protocol';
import pg from 'pg';
import { Connection } from './connection.js';
import { ConnectionLost } from './failure.js';

function parseBigint(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} is too large for a number`);
  return value;
}

type TypeId = Parameters<typeof pg.types.getTypeParser>[0];

/** The only code that converts a bigint, which pg returns as text, to a number. */
const BIGINT_AS_NUMBER: pg.CustomTypesConfig = {
  getTypeParser: ((type: TypeId, format: 'text'): unknown =>
    type === pg.types.builtins.INT8
      ? parseBigint
      : pg.types.getTypeParser(type, format)) as typeof pg.types.getTypeParser,
};

export interface ConnectionOptions {
  readonly url: string;
  /** `full`: acknowledged means on the server's disk. `relaxed`: a crash may lose the last moments. */
  readonly durability: Durability;
  /** How many transactions and reads may run at once. */
  readonly connections?: number;
  /** How long an outstanding answer may take before the connection counts as lost. */
  readonly answerMs?: number;
}

const CONNECT_TIMEOUT_MS = 10_000;
/**
 * If a server disappears without closing the connection, the operating system reports it only after a quarter of an
 * hour.
 */
const ANSWER_TIMEOUT_MS = 30_000;
const KEEP_ALIVE_MS = 10_000;
const DEFAULT_CONNECTIONS = 10;

/** The pool, and the few connections outside it. */
export class Connections {
  readonly #config: pg.ClientConfig;
  readonly #session: string;
  readonly #pool: pg.Pool;
  readonly #answerMs: number;

  /** The size of the pool. */
  readonly size: number;

  constructor({
    url,
    durability,
    connections = DEFAULT_CONNECTIONS,
    answerMs = ANSWER_TIMEOUT_MS,
  }: ConnectionOptions) {
    this.size = connections;
    this.#answerMs = answerMs;
    this.#config = {
      connectionString: url,
      application_name: 'stoa',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
      types: BIGINT_AS_NUMBER,
    };
    this.#session = sessionSettings(durability);
    this.#pool = new pg.Pool({
      ...this.#config,
      pipeline: true,
      max: connections,
      verify: (client, done) => {
        const settings = { text: this.#session, query_timeout: answerMs };
        client.query(settings).then(() => {
          done();
        }, done);
      },
    });
    // The user of a dead connection notices the error, or the pool replaces it.
    this.#pool.on('connect', (client) => client.on('error', () => undefined));
    this.#pool.on('error', () => undefined);
  }

  /** Rolls back an open transaction after the work. */
  async use<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const connection = await this.lend();
    try {
      return await work(connection);
    } finally {
      await connection.rollback();
      connection.release();
    }
  }

  /** The caller must release it. */
  async lend(): Promise<Connection> {
    return new Connection(await connecting(this.#pool.connect()), this.#answerMs);
  }

  /**
   * A connection outside the pool, for migrations and checks, which take as long as the data is large. The caller
   * must end it.
   */
  async dedicated(): Promise<pg.Client> {
    const client = new pg.Client(this.#config);
    client.on('error', () => undefined);
    try {
      await connecting(client.connect());
      await connecting(client.query(this.#session));
    } catch (error) {
      await client.end();
      throw error;
    }
    return client;
  }

  /** Waits for connections in use. */
  async close(): Promise<void> {
    await this.#pool.end();
  }
}

/**
 * Set on every connection, regardless of the URL and the role. A daemon that hangs in a transaction must not hold its
 * locks forever.
 */
function sessionSettings(durability: Durability): string {
  return [
    `SET synchronous_commit = ${durability === 'full' ? 'on' : 'off'}`,
    `SET idle_in_transaction_session_timeout = '60s'`,
  ].join('; ');
}

async function connecting<T>(attempt: Promise<T>): Promise<T> {
  try {
    return await attempt;
  } catch (error) {
    throw new ConnectionLost('connecting', error);
  }
}
