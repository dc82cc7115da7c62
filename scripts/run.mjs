import { spawn } from 'node:child_process';
import os from 'node:os';
import { root } from './root.mjs';

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
