import { type ChildProcess, type ChildProcessByStdio, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import type { ServerAccount } from './server-account.js';
import type { ServerFiles } from './server-files.js';

export const SUPERUSER = 'stoa';

type ServerProcess = ChildProcessByStdio<null, null, Readable>;

/** Nothing of our own surroundings: PGPORT and its like would change what the server does. */
const surroundings = (files: ServerFiles, account: ServerAccount | undefined) => ({
  ...account,
  cwd: files.directory,
  env: { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' },
});

/** A collation that differs from byte order, so that a test sees where a query leaves the order open. */
export async function initialise(
  files: ServerFiles,
  account: ServerAccount | undefined,
): Promise<void> {
  await promisify(execFile)(
    files.initdb,
    [
      ...['--pgdata', files.data, '--username', SUPERUSER, '--pwfile', files.passwordFile],
      ...['--auth', 'scram-sha-256', '--set', 'scram_iterations=1'],
      ...['--encoding', 'UTF8', '--locale', 'C'],
      ...['--locale-provider', 'icu', '--icu-locale', 'en-US'],
      ...['--no-sync', '--no-instructions'],
    ],
    surroundings(files, account),
  );
}

/** Resolves when the server accepts connections; rejects with its output if it ends before. */
export async function launch(
  files: ServerFiles,
  account: ServerAccount | undefined,
  settings: Readonly<Record<string, string>>,
): Promise<ServerProcess> {
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const server = spawn(files.postgres, ['-D', files.data, ...flags], {
    ...surroundings(files, account),
    // Not of our process group: a server that is killed with it would leave its shared memory behind.
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  await new Promise<void>((resolve, reject) => {
    let output = '';
    const hear = (chunk: string): void => {
      output += chunk;
      if (output.includes('ready to accept connections')) resolve();
    };
    server.stderr.setEncoding('utf8').on('data', hear);
    server.once('error', reject);
    server.once('exit', () => {
      reject(new Error(`PostgreSQL ended before it was ready: ${output}`));
    });
  });
  server.stderr.removeAllListeners('data').resume();
  return server;
}

/**
 * Ends the server and removes its files when the other end of its pipe is closed, that is when this
 * process is gone, however it went. It is not of our process group, so what ends us leaves it alone.
 */
export function guard(files: ServerFiles): ChildProcess {
  const script = `cat >/dev/null
    pid="$(head -n 1 "$1/postmaster.pid" 2>/dev/null)"
    if [ -n "$pid" ]; then kill -CONT "$pid"; kill -QUIT "$pid"; fi
    while [ -e "$1/postmaster.pid" ] && kill -0 "$pid" 2>/dev/null; do sleep 0.1; done
    rm -rf "$1" "$2"`;
  const args = ['-c', script, 'sh', files.data, files.directory];
  return spawn('sh', args, { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
}

/** At once, without a checkpoint; what was committed is on its disk. */
export async function halt(server: ServerProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const exited = once(server, 'exit');
  server.kill('SIGQUIT');
  await exited;
}

/** Nobody wants the data. */
export async function end(server: ServerProcess, watcher: ChildProcess): Promise<void> {
  await halt(server);
  await release(watcher);
}

/** Lets the watcher of a server do its work now. */
export async function release(watcher: ChildProcess): Promise<void> {
  if (watcher.exitCode !== null) return;
  const cleaned = once(watcher, 'exit');
  watcher.stdin?.end();
  await cleaned;
}
