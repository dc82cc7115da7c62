// One run of the tests: its own directories, and the process that cleans up after it (reaper.mjs).
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { root } from './run.mjs';

/** How long vitest may take to end after a signal. */
const GRACE_MS = 5_000;

/**
 * Gives `main` a run. When `main` ends, no process and no directory of the run remains. A signal ends the run at the next
 * `checkpoint` or after a few seconds, a second signal at once.
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
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
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
 * Starts the reaper before it makes the directories, so that a run that is killed at any moment leaves nothing. The first directory
 * is for temporary files; the second, if the system has one, is in memory.
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
    // Independent of the umask: root starts PostgreSQL as another user, who has to pass through.
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
