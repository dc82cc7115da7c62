import { promises as fs } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WATCH_START } from '@stoa/core';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { CommandEnd } from '../../tools/shell/running-command.js';
import { Watching } from './watching.js';

/** Takes about all of the steps that a filter may. */
const SLOW = `${'(a|aa|aaa|aaaa)*'.repeat(4)}b`;
const FLOOD = `${'a'.repeat(2_000)}\n`.repeat(400);
/** Several times what a look may take: the machine may be busy. */
const MOST_MS = 80;

let root: string;
let outputPath: string;
beforeEach(async () => {
  root = await fs.mkdtemp(join(tmpdir(), 'stoa-watching-'));
  outputPath = join(root, 'output');
});
afterEach(() => fs.rm(root, { recursive: true }));

it('T-23 a monitor whose command floods a slow filter leaves the thread to others between its looks', async () => {
  await fs.writeFile(outputPath, FLOOD);
  const looks: number[] = [];
  let before = process.cpuUsage();
  const watching = new Watching(
    {
      now: () => 0,
      timers: {
        after(_, callback) {
          const { user, system } = process.cpuUsage(before);
          looks.push((user + system) / 1_000);
          if (looks.length === 5) watching.leave();
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
    WATCH_START,
  );
  await watching.done;
  // In one or the other code is made ready to run, or memory is tidied up, also for others in this process.
  const [, , middle] = looks.sort((one, other) => one - other);
  expect(middle).toBeLessThan(MOST_MS);
});

const NOW = 10_000_000;
const IDLE_MS = 60_000;
const never = <T>() => new Promise<T>(() => undefined);

/** Taken up again after it was silent for longer than it may be, as far as that was known then. */
function takenUp(command: { size: number; stop?: CommandEnd; looks?: number }) {
  const told: string[] = [];
  let looks = 0;
  const settled = new Promise<unknown>((resolve) => {
    const watching = new Watching(
      {
        now: () => NOW,
        timers: {
          after(_, callback) {
            looks += 1;
            const timer = setImmediate(() => {
              if (looks === command.looks) watching.leave();
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
        tell: (text) => {
          told.push(text);
          return Promise.resolve(true);
        },
        settle: (ending) => {
          resolve(ending);
          return Promise.resolve();
        },
      },
      {
        outputPath,
        outputLost: never(),
        wait: never,
        stop: (by) =>
          Promise.resolve(command.stop ?? { type: 'stopped', by, signal: 'SIGTERM', isDead: true }),
        leave: () => undefined,
      },
      { maxEvents: 10, idleMs: IDLE_MS },
      WATCH_START,
      { size: command.size, at: NOW - IDLE_MS },
    );
    void watching.done.then(() => {
      resolve('goes on');
    });
  });
  return { settled, told };
}

it('T-22 a monitor is not idle before all is read that it printed', async () => {
  // More than one look reads.
  const lines = `${'x'.repeat(1_999)}\n`.repeat(1_000);
  await fs.writeFile(outputPath, lines);
  // What it printed last is new.
  const going = takenUp({ size: lines.length - 2_000, looks: 500 });
  expect(await going.settled).toBe('goes on');
  expect(await takenUp({ size: lines.length }).settled).toMatchObject({ end: { cause: 'idle' } });
});

it('T-22 a monitor that was read at once with what it printed since is not idle', async () => {
  await fs.writeFile(outputPath, 'old\nnew\n');
  expect(await takenUp({ size: 4, looks: 3 }).settled).toBe('goes on');
});

it.each<[CommandEnd, object]>([
  [
    { type: 'exited', exitCode: 3 },
    { status: 'failed', end: { cause: 'exited', exitCode: 3 } },
  ],
  [
    { type: 'lost', reason: 'gone' },
    { status: 'lost', end: { cause: 'outcome_unknown' } },
  ],
])(
  'T-22 a silent monitor that is found to have ended by itself, as %o, is settled by that',
  async (stop, ending) => {
    await fs.writeFile(outputPath, 'FAILED, without an end of its line');
    const { settled, told } = takenUp({ size: 34, stop });
    expect(await settled).toMatchObject(ending);
    expect(told.join()).toContain('#1 FAILED');
  },
);
