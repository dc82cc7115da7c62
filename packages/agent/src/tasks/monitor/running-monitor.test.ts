import { promises as fs } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WATCH_START } from '@stoa/core';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { CommandEnd } from '../../tools/shell/running-command.js';
import { RunningMonitor } from './running-monitor.js';

/** Takes nearly all of the steps that a filter may take. */
const SLOW = `${'(a|aa|aaa|aaaa)*'.repeat(4)}b`;
const FLOOD = `${'a'.repeat(2_000)}\n`.repeat(400);
/** Several times the limit for a poll: the machine may be busy. */
const MAX_MS = 80;

let root: string;
let outputPath: string;
beforeEach(async () => {
  root = await fs.mkdtemp(join(tmpdir(), 'stoa-monitor-'));
  outputPath = join(root, 'output');
});
afterEach(() => fs.rm(root, { recursive: true }));

it('T-23 a monitor whose command floods a slow filter yields the thread between polls', async () => {
  await fs.writeFile(outputPath, FLOOD);
  const polls: number[] = [];
  let before = process.cpuUsage();
  const monitor = new RunningMonitor(
    {
      now: () => 0,
      timers: {
        after(_, callback) {
          const { user, system } = process.cpuUsage(before);
          polls.push((user + system) / 1_000);
          if (polls.length === 5) monitor.leave();
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
      send: () => Promise.resolve(true),
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
  await monitor.done;
  // The median, because compilation or garbage collection may slow down some of them.
  const [, , middle] = polls.sort((one, other) => one - other);
  expect(middle).toBeLessThan(MAX_MS);
});

const NOW = 10_000_000;
const IDLE_MS = 60_000;
const never = <T>() => new Promise<T>(() => undefined);

/** A monitor that is adopted after it was silent for its idle time, as far as that is known. */
function adopted(command: { size: number; stop?: CommandEnd; polls?: number }) {
  const sent: string[] = [];
  let polls = 0;
  const settled = new Promise<unknown>((resolve) => {
    const monitor = new RunningMonitor(
      {
        now: () => NOW,
        timers: {
          after(_, callback) {
            polls += 1;
            const timer = setImmediate(() => {
              if (polls === command.polls) monitor.leave();
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
        send: (text) => {
          sent.push(text);
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
    void monitor.done.then(() => {
      resolve('continues');
    });
  });
  return { settled, sent };
}

it('T-22 a monitor is not idle before all its output was read', async () => {
  // More than one poll reads.
  const lines = `${'x'.repeat(1_999)}\n`.repeat(1_000);
  await fs.writeFile(outputPath, lines);
  // The last line is new.
  const running = adopted({ size: lines.length - 2_000, polls: 500 });
  expect(await running.settled).toBe('continues');
  expect(await adopted({ size: lines.length }).settled).toMatchObject({ end: { cause: 'idle' } });
});

it('T-22 a monitor that printed new output after its adoption is not idle', async () => {
  await fs.writeFile(outputPath, 'old\nnew\n');
  expect(await adopted({ size: 4, polls: 3 }).settled).toBe('continues');
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
  'T-22 a silent monitor whose command has ended, as %o, is settled by that end',
  async (stop, ending) => {
    const output = 'FAILED without a newline';
    await fs.writeFile(outputPath, output);
    const { settled, sent } = adopted({ size: output.length, stop });
    expect(await settled).toMatchObject(ending);
    expect(sent.join()).toContain('#1 FAILED');
  },
);
