import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { serverAccount } from './server-account.js';
import { makeServerFiles } from './server-files.js';
import { end, guard, halt, initialise, launch, release, SUPERUSER } from './server-process.js';

export interface EmbeddedPostgresOptions {
  /** Off is faster, and proves nothing about what survives a crash of the machine. On by default. */
  readonly fsync?: boolean;
  /** Where there is room: its data does not reach a disk, and syncs cost nothing. Off by default. */
  readonly inMemory?: boolean;
}

export interface EmbeddedPostgres {
  /** Of the maintenance database, as superuser. */
  readonly url: string;
  /** Ends the server as a crash does and keeps its data. */
  down(): Promise<void>;
  /** Starts it again, on the same port. */
  up(): Promise<void>;
  /** Idempotent. Ends the server at once and removes everything of it. */
  stop(): Promise<void>;
}

/**
 * A real PostgreSQL on a free port of loopback, with a random password. If this process dies, however
 * it dies, the server ends and its files go.
 */
export async function startEmbeddedPostgres({
  fsync = true,
  inMemory = false,
}: EmbeddedPostgresOptions = {}): Promise<EmbeddedPostgres> {
  const account = serverAccount();
  const password = randomBytes(16).toString('hex');
  const files = makeServerFiles(account, password, { inMemory });
  const watcher = guard(files);
  try {
    await initialise(files, account);
    const port = String(await freePort());
    const settings = { ...SETTINGS, ...syncing(fsync), ...(inMemory ? IN_MEMORY : {}), port };
    let server = await launch(files, account, settings);
    let stopped: Promise<void> | undefined;
    return {
      url: `postgres://${SUPERUSER}:${password}@127.0.0.1:${port}/postgres`,
      down: () => halt(server),
      async up() {
        server = await launch(files, account, settings);
      },
      stop: () => (stopped ??= end(server, watcher)),
    };
  } catch (error) {
    await release(watcher);
    throw error;
  }
}

const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '300',
  shared_buffers: '64MB',
  deadlock_timeout: '100ms',
  jit: 'off',
};

/** What is gone with the machine needs no means against its crash; its databases live for seconds. */
const IN_MEMORY = {
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  autovacuum: 'off',
};

const syncing = (fsync: boolean): Record<string, string> =>
  fsync ? {} : { fsync: 'off', full_page_writes: 'off' };

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
