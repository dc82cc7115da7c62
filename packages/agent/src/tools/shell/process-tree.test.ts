import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { signal, startTimeOf } from './process-tree.js';

/** Somebody, and somebody else: who may signal neither the other nor root. */
const [SOMEBODY, ANOTHER] = [65_533, 65_534];

it('T-4 a process that another user runs, as by sudo, is let be and is no failure', async () => {
  const isRoot = process.getuid?.() === 0;
  const child = isRoot ? spawn('sleep', ['60'], { uid: ANOTHER }) : undefined;
  // Who is not root may not signal the first process.
  const pid = child?.pid ?? 1;
  if (isRoot) process.seteuid?.(SOMEBODY);
  try {
    expect(() => process.kill(pid, 'SIGTERM')).toThrow(/EPERM/);
    expect(() => signal(pid, 'SIGTERM')).not.toThrow();
    expect(startTimeOf(pid)).toBeDefined();
  } finally {
    if (isRoot) process.seteuid?.(0);
    if (child) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  }
  expect(() => signal(pid === 1 ? 2 ** 22 + 1 : pid, 'SIGTERM')).not.toThrow();
});
