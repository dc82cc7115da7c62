// The root of the repository, programs that the scripts run, and the line that says what takes long.
import { spawn } from 'node:child_process';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

const forwarded = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Runs a Node program in the foreground and resolves to its exit code. One that `yields` gets of the
 * processor what others leave; `node` is the Node that runs it.
 */
export function run(args, { env = process.env, yields = false, node = process.execPath } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(node, args, { cwd: root, stdio: 'inherit', env });
    if (yields && child.pid !== undefined) {
      os.setPriority(child.pid, os.constants.priority.PRIORITY_LOW);
    }
    const forward = (signal) => {
      // Ctrl-C in a terminal goes to the whole process group: the child already has it.
      if (signal === 'SIGINT' && process.stdin.isTTY === true) return;
      child.kill(signal);
    };
    for (const signal of forwarded) process.on(signal, forward);
    const stop = () => {
      for (const signal of forwarded) process.off(signal, forward);
    };
    child.on('error', (error) => {
      stop();
      reject(error);
    });
    child.on('exit', (code, signal) => {
      stop();
      resolve(code ?? 128 + os.constants.signals[signal]);
    });
  });
}

/** Runs a Node program and resolves to its exit code and everything it printed. */
export function capture(args, options = {}) {
  const stdio = ['ignore', 'pipe', 'pipe'];
  const child = spawn(process.execPath, args, { cwd: root, ...options, stdio });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk) => (output += chunk));
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (status) => resolve({ status, output }));
  });
}

/**
 * One line on stderr about something that takes long, with the seconds it has taken so far. In a terminal
 * the line is rewritten every second; elsewhere (CI, a pipe) it is repeated every 15 seconds.
 */
export function progress(label, { after = 0 } = {}) {
  const started = performance.now();
  const isTerminal = process.stderr.isTTY === true;
  let current = label;
  let shown = false;

  const seconds = () => Math.round((performance.now() - started) / 1000);
  const show = () => {
    shown = true;
    if (isTerminal) process.stderr.write(`\r\x1b[K${current}… ${seconds()} s`);
    else process.stderr.write(`${current}… ${seconds()} s\n`);
  };
  const first = setTimeout(show, after);
  const repeated = setInterval(show, isTerminal ? 1_000 : 15_000);
  const stop = () => {
    clearTimeout(first);
    clearInterval(repeated);
    if (shown && isTerminal) process.stderr.write('\r\x1b[K');
  };

  return {
    /** What is going on now; shown at once when it is something new. */
    update(next) {
      if (next === current) return;
      current = next;
      if (shown) show();
    },
    /** Ends with a line that stays, unless the work was too short to have been announced. */
    done(result) {
      const announced = shown;
      stop();
      if (announced) process.stderr.write(`${result} in ${seconds()} s\n`);
    },
    cancel: stop,
  };
}
