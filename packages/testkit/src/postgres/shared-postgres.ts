import { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded-postgres.js';

/** Names the server that a test run shares, or an existing one if it is set before. */
export const SHARED_POSTGRES = 'STOA_TEST_POSTGRES';

let server: EmbeddedPostgres | undefined;

/**
 * A globalSetup of vitest: one server for all files of a run, found by its environment. Only daemons are
 * killed in tests, never this server, so its data need not survive anything.
 */
export async function setup(): Promise<void> {
  if (process.env[SHARED_POSTGRES]) return;
  server = await startEmbeddedPostgres({ inMemory: true });
  process.env[SHARED_POSTGRES] = server.url;
}

export async function teardown(): Promise<void> {
  if (!server) return;
  Reflect.deleteProperty(process.env, SHARED_POSTGRES);
  await server.stop();
}
