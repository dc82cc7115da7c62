import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { sendSignal } from '@stoa/testkit';
import { expect, it } from 'vitest';
import { processesIn, signal, startTimeOf } from './process-tree.js';

/** Two users who may signal neither each other nor root. */
const [USER, OTHER_USER] = [65_533, 65_534];

/** A process that this user may not signal. */
const findForeignProcess = (): number | undefined =>
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

it('T-4 signalling a process of another user, as with sudo, is not a failure', async (context) => {
  const isRoot = process.getuid?.() === 0;
  const child = isRoot ? spawn('sleep', ['60'], { uid: OTHER_USER }) : undefined;
  const pid = child?.pid ?? findForeignProcess();
  if (pid === undefined) {
    context.skip('needs root, or a process of another user');
    return;
  }
  if (isRoot) process.seteuid?.(USER);
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

it('T-4 signalling a process that is gone is not a failure', async () => {
  const child = spawn('true');
  await once(child, 'exit');
  expect(() => signal(child.pid ?? 0, 'SIGTERM')).not.toThrow();
});

const LISTED = `
    1     1 Ss   /sbin/launchd
  501   501 S    /bin/sh -c wrapper HOME=/Users/a
  502   501 S    /bin/bash -c sleep STOA_TASK=abc HOME=/Users/a
  503   503 Ss   sleep 60 PATH=/bin STOA_TASK=abc
  504   504 Z    (sleep) STOA_TASK=abc
  505   505 S    sleep 60 STOA_TASK=abcd
  506   506 S    grep STOA_TASK=ab
`;

it('on macOS, processes are found by their group and by a mark that is a whole word', () => {
  expect(processesIn(LISTED, { leader: 501, marker: 'STOA_TASK=abc' })).toEqual([
    { pid: 501, isInGroup: true, isMarked: false },
    { pid: 502, isInGroup: true, isMarked: true },
    { pid: 503, isInGroup: false, isMarked: true },
  ]);
  expect(processesIn(LISTED, { leader: undefined, marker: 'STOA_TASK=abc' })).toEqual([
    { pid: 502, isInGroup: false, isMarked: true },
    { pid: 503, isInGroup: false, isMarked: true },
  ]);
});
