// Shared by the scripts: the root of the repository, and how commands run, report and end.
import { spawn } from 'node:child_process';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/** A failure that its message explains: `command` prints no stack trace. */
export class Failure extends Error {}

/** Runs the main function of a command. Its result is the exit code. */
export async function command(main) {
  try {
    process.exitCode = await main();
  } catch (error) {
    console.error(error instanceof Failure ? error.message : error);
    process.exitCode = 1;
  }
}

/** Reports on stderr that slow work begins, and how long it took. */
export async function step(label, work) {
  const started = performance.now();
  console.error(`${label}…`);
  const result = await work();
  console.error(`${label} took ${Math.round((performance.now() - started) / 1000)} s`);
  return result;
}

/**
 * Runs a Node program in the foreground, forwards signals to it and resolves to its exit code. With `yields` it runs at
 * low priority; `node` is the Node that runs it.
 */
export function run(args, { env = process.env, yields = false, node = process.execPath } = {}) {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  return new Promise((resolve, reject) => {
    const child = spawn(node, args, { cwd: root, stdio: 'inherit', env });
    if (yields && child.pid !== undefined) {
      os.setPriority(child.pid, os.constants.priority.PRIORITY_LOW);
    }
    const forward = (signal) => {
      // A terminal sends Ctrl-C to the whole process group: the child already received it.
      if (signal === 'SIGINT' && process.stdin.isTTY === true) return;
      child.kill(signal);
    };
    for (const signal of signals) process.on(signal, forward);
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      for (const one of signals) process.off(one, forward);
      resolve(code ?? 128 + os.constants.signals[signal]);
    });
  });
}
