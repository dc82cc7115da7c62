import { promises as fs } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StoaError } from '@stoa/protocol';
import { until } from '@stoa/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { childEnvironment } from '../../tools/shell/child-environment.js';
import { startCommand } from '../../tools/shell/command.js';
import type { RunningCommand } from '../../tools/shell/running-command.js';
import { Sandbox } from '../../tools/shell/sandbox.js';
import { ForegroundCommand, readAbortReason } from './foreground-command.js';

let root: string;
beforeEach(async () => {
  root = await fs.realpath(await fs.mkdtemp(join(tmpdir(), 'stoa-foreground-')));
});
const started: RunningCommand[] = [];
afterEach(async () => {
  for (const running of started.splice(0)) await running.stop('test');
  await fs.rm(root, { recursive: true, force: true });
});

async function waiting(
  more: Partial<ConstructorParameters<typeof ForegroundCommand>[0]> = {},
): Promise<{ running: RunningCommand; foreground: ForegroundCommand; abort: AbortController }> {
  const running = await startCommand({
    command: 'sleep 60',
    cwd: root,
    directory: join(root, 'tasks'),
    environment: childEnvironment(process.env),
    sandbox: new Sandbox({ home: root, bubblewrap: null }),
  });
  started.push(running);
  const abort = new AbortController();
  const foreground = new ForegroundCommand({
    taskId: 'tsk_1',
    running,
    timeoutMs: 60_000,
    onTimeout: 'kill',
    signal: abort.signal,
    promote: () => Promise.resolve(),
    ...more,
  });
  return { running, foreground, abort };
}

class WithKind {
  get kind(): string {
    return 'background';
  }
}

let touched = 0;
const MALFORMED: readonly (readonly [what: string, reason: unknown])[] = [
  ['a kind of its prototype only', Object.create({ kind: 'background' })],
  ['a kind of its class', new WithKind()],
  [
    'a getter that throws',
    Object.defineProperty({}, 'kind', {
      get(): never {
        touched += 1;
        throw new Error('touched');
      },
    }),
  ],
  [
    'a getter that answers',
    {
      get kind(): string {
        touched += 1;
        return 'background';
      },
    },
  ],
  [
    'a proxy',
    new Proxy(
      { kind: 'background' },
      {
        getOwnPropertyDescriptor(): never {
          touched += 1;
          throw new Error('touched');
        },
      },
    ),
  ],
  ['a kind that is not known', { kind: 'elsewhere' }],
  ['a kind that is no text', { kind: ['background'] }],
  ['text', 'background'],
  ['nothing', undefined],
];

describe('T-9 a reason to abort', () => {
  it.each(MALFORMED)('that is %s means to cancel, and none of its code runs', (_, reason) => {
    expect(readAbortReason(reason)).toEqual({ kind: 'cancel' });
    expect(touched).toBe(0);
  });

  it('that is a plain value lets the command continue', () => {
    expect(readAbortReason({ kind: 'background' })).toEqual({ kind: 'background' });
    expect(readAbortReason(Object.assign(Object.create(null), { kind: 'background' }))).toEqual({
      kind: 'background',
    });
  });

  it('that is malformed ends the process, and a valid one promotes it', async () => {
    const ended = await waiting();
    ended.abort.abort(Object.create({ kind: 'background' }));
    expect(await ended.foreground.wait()).toMatchObject({
      type: 'ended',
      end: { type: 'stopped', by: 'run', isDead: true },
    });
    const kept = await waiting();
    kept.abort.abort({ kind: 'background' });
    expect(await kept.foreground.wait()).toEqual({ type: 'promoted', why: 'asked' });
    expect(kept.running.isOver).toBe(false);
  });
});

describe('a command whose promotion failed', () => {
  const promote = (): Promise<never> => Promise.reject(new StoaError('too_many_tasks', 'full'));

  it('stays in the foreground, and the caller gets the error', async () => {
    const { foreground, running } = await waiting({ promote });
    await expect(foreground.promote()).rejects.toMatchObject({ code: 'too_many_tasks' });
    expect(foreground.canBePromoted).toBe(true);
    await running.stop('somebody');
    expect(await foreground.wait()).toMatchObject({ type: 'ended', end: { by: 'somebody' } });
  });

  it('T-8 is stopped at its timeout', async () => {
    const { foreground } = await waiting({ promote, timeoutMs: 20, onTimeout: 'background' });
    expect(await foreground.wait()).toMatchObject({ type: 'ended', end: { by: 'timeout' } });
  });

  it('is stopped with its run if that ended meanwhile', async () => {
    let fail = (): void => undefined;
    const failing = new Promise<void>((_, reject) => {
      fail = () => reject(new StoaError('too_many_tasks', 'full'));
    });
    const { foreground, running, abort } = await waiting({ promote: () => failing });
    const promoted = foreground.promote();
    abort.abort();
    expect(running.isOver).toBe(false);
    fail();
    await expect(promoted).rejects.toMatchObject({ code: 'too_many_tasks' });
    expect(await foreground.wait()).toMatchObject({ type: 'ended', end: { by: 'run' } });
  });
});

it('T-5 a promoted command is not stopped with its run', async () => {
  const { foreground, running, abort } = await waiting();
  await foreground.promote();
  abort.abort();
  expect(await foreground.wait()).toEqual({ type: 'promoted', why: 'asked' });
  await until('nothing stops it', () => !running.isOver);
  await expect(foreground.promote()).rejects.toMatchObject({ code: 'task_not_foreground' });
});
