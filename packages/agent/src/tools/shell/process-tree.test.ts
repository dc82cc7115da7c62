import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { sendSignal } from '@stoa/testkit';
import { expect, it } from 'vitest';
import { signal, startTimeOf } from './process-tree.js';

/** Somebody, and somebody else: who may signal neither the other nor root. */
const [SOMEBODY, ANOTHER] = [65_533, 65_534];

/** One that may not be signalled by us, as asking without a signal tells. Never the first of all. */
const findAnothers = (): number | undefined =>
  (existsSync('/proc') ? readdirSync('/proc') : [])
    .map(Number)
    .find((pid) => pid > 1 && isRefused(pid) && startTimeOf(pid) !== undefined);

function isRefused(pid: number): boolean {
  try {
    sendSignal(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

it('T-4 a process that another user runs, as by sudo, is let be and is no failure', async (context) => {
  const isRoot = process.getuid?.() === 0;
  const child = isRoot ? spawn('sleep', ['60'], { uid: ANOTHER }) : undefined;
  const pid = child?.pid ?? findAnothers();
  if (pid === undefined) {
    context.skip('needs root, or a process here that another user runs');
    return;
  }
  if (isRoot) process.seteuid?.(SOMEBODY);
  try {
    expect(() => {
      sendSignal(pid, 'SIGTERM');
    }).toThrow(/EPERM/);
    expect(() => signal(pid, 'SIGTERM')).not.toThrow();
    expect(startTimeOf(pid)).toBeDefined();
  } finally {
    if (isRoot) process.seteuid?.(0);
    if (child) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  }
});

it('T-4 a process that is gone is no failure', async () => {
  const child = spawn('true');
  await once(child, 'exit');
  expect(() => signal(child.pid ?? 0, 'SIGTERM')).not.toThrow();
});
