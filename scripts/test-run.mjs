// One run of the tests: the directories that it has to itself, and the process that cleans up after it.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { root } from './run.mjs';

/** How long vitest may take to end after a signal. */
const GRACE_MS = 5_000;

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Gives `main` a run, and ends it when `main` has: no process and no directory of the run remains. A signal ends the
 * run too, at the next `checkpoint` or after a few seconds; a second one ends it at once.
 */
export async function withRun(main) {
  const { directories, environment, end } = startRun();
  let received;
  const stop = async () => {
    await end();
    process.exit(128 + os.constants.signals[received]);
  };
  const interrupt = (signal) => {
    if (received === undefined) setTimeout(stop, GRACE_MS);
    else void stop();
    received ??= signal;
  };
  for (const signal of signals) process.on(signal, interrupt);
  const checkpoint = async () => {
    if (received !== undefined) await stop();
  };
  try {
    const exitCode = await main({ directories, environment, checkpoint });
    await checkpoint();
    return exitCode;
  } finally {
    await end();
    for (const signal of signals) process.off(signal, interrupt);
  }
}

/**
 * The process that cleans up is there before the directories are, so a run that is killed at any moment leaves nothing.
 * Temporary files go into the first directory; where the system has files in memory, those go into the second.
 */
function startRun() {
  const name = `stoa-test-${randomBytes(6).toString('base64url')}`;
  const temporary = path.join(fs.realpathSync(os.tmpdir()), name);
  const memoryRoot = process.env.STOA_TEST_MEMORY ?? '/dev/shm';
  const memory = isWritable(memoryRoot) ? path.join(memoryRoot, name) : undefined;
  const directories = memory === undefined ? [temporary] : [temporary, memory];
  const reaper = spawn(process.execPath, [path.join(root, 'scripts/reaper.mjs'), ...directories], {
    cwd: '/',
    env: {},
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  reaper.stdin.on('error', () => undefined);
  const exited = once(reaper, 'exit');
  for (const directory of directories) {
    fs.mkdirSync(directory);
    // Whatever the umask: root starts PostgreSQL as another user, who has to get through.
    fs.chmodSync(directory, 0o755);
  }
  return {
    directories,
    environment: {
      STOA_TEST_RUN: temporary,
      TMPDIR: temporary,
      ...(memory === undefined ? {} : { STOA_TEST_MEMORY: memory }),
    },
    async end() {
      reaper.stdin.end();
      await exited;
    },
  };
}

function isWritable(directory) {
  try {
    fs.accessSync(directory, fs.constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
