import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { TestDirectory } from '../daemon/daemon-engines.js';
import { cleanEnvironment, PROGRAM } from '../daemon/start-daemon.js';

/**
 * Kills the program wherever it happens to be on its way up: locking, migrating, recovering. Says
 * whether it was killed before it was ready.
 */
export async function killWhileStarting(
  directory: TestDirectory,
  afterMs: number,
): Promise<boolean> {
  const database =
    directory.databaseUrl === undefined ? {} : { STOA_DATABASE_URL: directory.databaseUrl };
  const child = spawn(process.execPath, [PROGRAM, 'serve'], {
    env: {
      ...cleanEnvironment(),
      STOA_HOME: directory.home,
      STOA_PORT: '0',
      STOA_LOBBY: 'off',
      ...database,
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    printed += chunk;
  });
  const exited = once(child, 'exit');
  await delay(afterMs);
  child.kill('SIGKILL');
  const [code] = (await exited) as [number | null];
  if (code !== null) throw new Error(`the program ended by itself with ${String(code)}`);
  return !printed.includes('Stoa is ready');
}
