import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { SHARED_POSTGRES } from './shared-postgres.js';

export interface FreshDatabase {
  readonly name: string;
  readonly url: string;
  /** Also with connections still open. */
  drop(): Promise<void>;
}

/**
 * A database of its own on a server, by default on the one that the test run shares; empty unless it is
 * to be like another.
 */
export async function freshDatabase(
  serverUrl = sharedPostgresUrl(),
  template = 'template1',
): Promise<FreshDatabase> {
  const name = `stoa_${randomBytes(8).toString('hex')}`;
  // By its files, and not page by page through the log: a third of the work for one as small.
  const how = `TEMPLATE ${template} STRATEGY FILE_COPY`;
  await administer(serverUrl, `CREATE DATABASE ${name} ${how}`);
  const url = new URL(serverUrl);
  url.pathname = name;
  return {
    name,
    url: url.href,
    drop: () => administer(serverUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  };
}

function sharedPostgresUrl(): string {
  const url = process.env[SHARED_POSTGRES];
  if (url) return url;
  throw new Error(
    `${SHARED_POSTGRES} is not set: run the tests with vitest.config.ts, or name a server`,
  );
}

async function administer(serverUrl: string, statement: string): Promise<void> {
  const client = new pg.Client(serverUrl);
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
