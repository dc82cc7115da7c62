import { promises as fs } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WATCH_BEGINS } from '@stoa/core';
import { expect, it } from 'vitest';
import type { CommandEnd } from '../../tools/shell/running-command.js';
import { Watching } from './watching.js';

/** Takes about all of the steps that a filter may. */
const SLOW = `${'(a|aa|aaa|aaaa)*'.repeat(4)}b`;
const FLOOD = `${'a'.repeat(2_000)}\n`.repeat(400);
/** Several times what a look may take: the machine may be busy. */
const MOST_MS = 80;

it('T-23 a monitor whose command floods a slow filter leaves the thread to others between its looks', async () => {
  const root = await fs.mkdtemp(join(tmpdir(), 'stoa-watching-'));
  const outputPath = join(root, 'output');
  await fs.writeFile(outputPath, FLOOD);
  const looks: number[] = [];
  let before = process.cpuUsage();
  let left: Watching | undefined;
  try {
    const watching = new Watching(
      {
        now: () => 0,
        timers: {
          after(_, callback) {
            const { user, system } = process.cpuUsage(before);
            looks.push((user + system) / 1_000);
            if (looks.length === 5) left?.leave();
            const timer = setImmediate(() => {
              before = process.cpuUsage();
              callback();
            });
            return () => {
              clearImmediate(timer);
            };
          },
        },
        diagnose: () => undefined,
      },
      {
        taskId: 'tsk_1',
        tell: () => Promise.resolve(true),
        settle: () => Promise.resolve(),
      },
      {
        outputPath,
        outputLost: new Promise<string>(() => undefined),
        wait: () => new Promise<CommandEnd>(() => undefined),
        stop: () => new Promise<CommandEnd>(() => undefined),
        leave: () => undefined,
      },
      { maxEvents: 10, idleMs: 60_000, include: SLOW },
      WATCH_BEGINS,
    );
    left = watching;
    await watching.done;
  } finally {
    await fs.rm(root, { recursive: true });
  }
  // In one or the other code is made ready to run, or memory is tidied up, also for others in this process.
  const [, , middle] = looks.sort((one, other) => one - other);
  expect(middle).toBeLessThan(MOST_MS);
});
