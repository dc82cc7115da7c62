import { once } from 'node:events';
import { existsSync } from 'node:fs';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { startEmbeddedPostgres } from './embedded-postgres.js';
import { freshDatabase } from './fresh-database.js';
import { serverAccount } from './server-account.js';
import { makeServerFiles } from './server-files.js';
import { guard, initialise, launch } from './server-process.js';

const ask = async (url: string, question: string): Promise<string> => {
  const client = new pg.Client(url);
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<{ answer: string }>(question);
    return rows[0]?.answer ?? '';
  } finally {
    await client.end();
  }
};

const DIRECTORY = `SELECT current_setting('data_directory') AS answer`;

describe('an embedded PostgreSQL', () => {
  it('has fresh databases that share nothing, and is gone with its files once it is stopped', async () => {
    const server = await startEmbeddedPostgres();
    const directory = await ask(server.url, DIRECTORY);
    const [one, two] = await Promise.all([freshDatabase(server.url), freshDatabase(server.url)]);
    await ask(one.url, 'CREATE TABLE mine ()');
    expect(await ask(two.url, `SELECT coalesce(to_regclass('mine')::text, 'none') AS answer`)).toBe(
      'none',
    );
    await one.drop();
    await expect(ask(one.url, 'SELECT 1')).rejects.toThrow('does not exist');
    await Promise.all([server.stop(), server.stop()]);
    expect(existsSync(directory)).toBe(false);
    await expect(ask(server.url, 'SELECT 1')).rejects.toThrow();
  });

  it('syncs unless syncing is switched off', async () => {
    const server = await startEmbeddedPostgres({ fsync: false });
    expect(await ask(server.url, `SELECT current_setting('fsync') AS answer`)).toBe('off');
    await server.stop();
  });

  it('ends, and takes its files with it, when the process that started it is gone', async () => {
    const account = serverAccount();
    const files = makeServerFiles(account, 'secret');
    await initialise(files, account);
    const server = await launch(files, account, {
      listen_addresses: '',
      unix_socket_directories: files.data,
    });
    const exited = once(server, 'exit');
    const watcher = guard(files);
    const cleaned = once(watcher, 'exit');
    // What the system does to the pipes of a process that dies.
    watcher.stdin?.destroy();
    await exited;
    await cleaned;
    expect(existsSync(files.directory)).toBe(false);
  });
});
