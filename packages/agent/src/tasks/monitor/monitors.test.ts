import { existsSync, promises as fs } from 'node:fs';
import { join } from 'node:path';
import type { TaskRegistry } from '@stoa/core';
import type { InboxItem, Task } from '@stoa/protocol';
import { lateExecutor, OWNER, until, WorkspaceRun, type WorkspaceRunOptions } from '@stoa/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { CommandFiles } from '../../tools/shell/command-files.js';
import { findProcesses, MARK } from '../../tools/shell/process-tree.js';
import { Sandbox } from '../../tools/shell/sandbox.js';
import { createMonitor } from '../../tools/tasks/monitor.js';
import { toolCalls } from '../../tools/tool-calls.fixture.js';
import { Monitors } from './monitors.js';

const left: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const leave of left.splice(0)) await leave();
});

/** When the monotonic clock of the tests was zero. */
const BOOT_AT = 1_600_000_000_000;

/** A run with the monitor tool. Its clock does not move, so only the first five lines have a token. */
async function staged(options: WorkspaceRunOptions = {}) {
  const made: { monitors?: Monitors } = {};
  const taskExecutors = new Map([
    ['monitor', (registry: TaskRegistry) => lateExecutor(() => made.monitors?.executor(registry))],
  ]);
  const runtime = { ...options.runtime, taskExecutors };
  const world = await WorkspaceRun.open({ mode: 'full', ...options, runtime });
  const sandbox = new Sandbox({ home: world.home });
  const tasksDirectory = join(world.home, 'tasks');
  const newMonitors = (): Monitors => {
    made.monitors = new Monitors({
      tasksDirectory,
      sandbox,
      // Any clock but that of files: the monotonic clock starts with the process.
      now: () => world.clock.now() - BOOT_AT,
      wallClock: () => world.clock.now(),

      timers: {
        after(ms, callback) {
          const timer = setTimeout(callback, Math.min(ms, 20));
          return () => clearTimeout(timer);
        },
      },
      diagnose: () => undefined,
    });
    return made.monitors;
  };
  let monitors = newMonitors();
  const executor = () => monitors.executor(world.daemon.core.tasks);
  const callTool = toolCalls(world, [
    createMonitor({ sandbox, monitors: { watch: (wanted) => monitors.watch(wanted) } }),
  ]);
  const call = (input: unknown) => callTool('monitor', input);
  const task = (taskId: string): Promise<Task> => world.daemon.core.tasks.get(OWNER, taskId);
  const watch = async (input: object): Promise<string> => {
    const { outcome, output } = await call(input);
    const taskId = /tsk_\w+/.exec(output)?.[0];
    if (outcome !== 'ok' || taskId === undefined) throw new Error(output);
    return taskId;
  };
  const ended = (taskId: string): Promise<Task> =>
    until(`${taskId} has ended`, async () => {
      const one = await task(taskId);
      return one.status === 'running' ? undefined : one;
    });
  /** The updates that its session got, in order. */
  const updates = async (taskId: string, state?: InboxItem['state']): Promise<string[]> => {
    const events = await world.session().events();
    const items = events.flatMap((event) => (event.type === 'accepted' ? [event.data] : []));
    const dropped = new Set(
      events.flatMap((event) => (event.type === 'dropped' ? [event.data.itemId] : [])),
    );
    return items
      .filter(
        ({ metadata, itemId }) => metadata['taskId'] === taskId && !(state && dropped.has(itemId)),
      )
      .map(({ inputItems: [item] }) => (item?.type === 'text' ? item.text : ''));
  };
  const filesOf = (taskId: string): CommandFiles =>
    new CommandFiles(join(tasksDirectory, world.sessionId), taskId, 'monitor');
  const restart = (): void => {
    monitors.close();
    monitors = newMonitors();
  };
  left.push(async () => {
    const { tasks } = await world.daemon.core.tasks.list(OWNER, { limit: 100 });
    const live = tasks.filter(
      ({ status, detail }) => status === 'running' && detail['cwd'] !== '/',
    );
    for (const one of live) await executor().stop(one, 'system');
    monitors.close();
    await world.discard();
  });
  return {
    sandbox,
    world,
    call,
    watch,
    task,
    ended,
    updates,
    restart,
    filesOf,
    tasksDirectory,
    executor,
  };
}

/** The command waits until the test creates this file. */
const UNTIL_GO = 'until [ -e go ]; do sleep 0.02; done;';
const linesOf = (texts: readonly string[]): string[] =>
  texts.flatMap((text) => text.split('\n')).filter((line) => line.startsWith('#'));

const processesOf = ({ detail }: Task) =>
  findProcesses({ leader: undefined, marker: `${MARK}=${detail['nonce'] as string}` });

describe('a monitor', () => {
  it('T-19 T-27 sends 5 of 100 instant lines and reports that 95 were dropped; its log has all of them', async () => {
    const { watch, ended, updates, world } = await staged();
    const taskId = await watch({ command: 'seq 1 100', description: 'counts' });
    const { status, end, detail, outputPath = '' } = await ended(taskId);
    expect([status, end?.cause, end?.exitCode]).toEqual(['completed', 'exited', 0]);
    expect(detail).toMatchObject({ events: 5, dropped: 95 });
    const texts = await updates(taskId);
    expect(linesOf(texts)).toEqual(['#1 1', '#2 2', '#3 3', '#4 4', '#5 5']);
    expect(texts.at(-1)).toMatch(/completed.*5 lines.*95 .*dropped/s);
    const log = await fs.readFile(outputPath, 'utf8');
    expect(log.trimEnd().split('\n')).toHaveLength(100);
    expect((await fs.stat(outputPath)).mode & 0o777).toBe(0o600);
    const part = await world.daemon.core.tasks.output(OWNER, taskId, { offset: 0, limit: 5 });
    expect(part).toMatchObject({ text: '1\n2\n3', nextOffset: 5, size: log.length });
  });

  it('T-18 does not read a link that replaced its log', async () => {
    const { watch, ended, world } = await staged();
    const taskId = await watch({ command: 'echo a' });
    const { outputPath = '' } = await ended(taskId);
    await fs.rm(outputPath);
    await fs.symlink('/etc/passwd', outputPath);
    await expect(
      world.daemon.core.tasks.output(OWNER, taskId, { offset: 0, limit: 100 }),
    ).rejects.toMatchObject({ code: 'task_without_output' });
  });

  it('T-19 reports dropped lines with the next event', async () => {
    const { world, watch, updates } = await staged();
    const taskId = await watch({ command: `seq 1 20; ${UNTIL_GO} echo next; sleep 600` });
    const go = join(world.workspace, 'go');
    await until(
      'the first lines were sent',
      async () => linesOf(await updates(taskId)).length === 5,
    );
    world.clock.move(1_000);
    await fs.writeFile(go, '');
    const texts = await until('there is more', async () => {
      const all = await updates(taskId);
      return linesOf(all).length > 5 && all;
    });
    expect(texts.join('\n')).toContain('#6 next');
    expect(texts.join('\n')).toMatch(/15 more lines/);
  });

  it('T-21 with max_events 3 sends exactly 3 of five instant lines, and ends once', async () => {
    const { watch, ended, updates, task } = await staged();
    const command = "printf 'a\\nb\\nc\\nd\\ne\\n'; sleep 600";
    const taskId = await watch({ command, max_events: 3 });
    const { status, end, detail } = await ended(taskId);
    expect([status, end?.cause]).toEqual(['completed', 'max_events']);
    expect(detail).toMatchObject({ events: 3, dropped: 0 });
    const texts = await updates(taskId);
    expect(linesOf(texts)).toEqual(['#1 a', '#2 b', '#3 c']);
    expect(texts.filter((text) => /max events/.test(text))).toHaveLength(1);
    expect(await processesOf(await task(taskId))).toEqual([]);
  });

  it('T-22 is completed after its idle time, and its command has ended', async () => {
    const { watch, ended, updates, task, world } = await staged();
    const taskId = await watch({ command: 'echo begun; sleep 600', idle_timeout_ms: 60_000 });
    await until('its line was sent', async () => (await updates(taskId)).length === 1);
    world.clock.move(59_999);
    expect((await task(taskId)).status).toBe('running');
    world.clock.move(1);
    const { status, end } = await ended(taskId);
    expect([status, end?.cause]).toEqual(['completed', 'idle']);
    expect(await processesOf(await task(taskId))).toEqual([]);
    expect((await updates(taskId)).at(-1)).toMatch(/idle/);
  });

  it('T-23 cuts a line of 1 MB, and sends invalid text as text', async () => {
    const { watch, ended, updates } = await staged();
    const command =
      "head -c 1048576 /dev/zero | tr '\\0' x; printf '\\n\\033[31mred\\033[0m\\n\\377bad\\n'";
    const taskId = await watch({ command });
    await ended(taskId);
    const lines = linesOf(await updates(taskId));
    expect(lines).toEqual([`#1 ${'x'.repeat(2_000)} [… cut]`, '#2 red', '#3 \ufffdbad']);
  });

  it('T-24 refuses the 17th before any process starts', async () => {
    const { world, call, tasksDirectory } = await staged();
    for (let count = 0; count < 16; count++) {
      await world.daemon.core.tasks.create(world.sessionId, {
        kind: 'monitor',
        description: 'one of sixteen',
        detail: { command: 'true', cwd: '/', nonce: `none-${count}`, maxEvents: 1, idleMs: 1 },
      });
    }
    const { outcome, output } = await call({ command: 'touch started' });
    expect([outcome, output]).toEqual(['error', expect.stringMatching(/^too_many_tasks: 16 /)]);
    expect(existsSync(join(world.workspace, 'started'))).toBe(false);
    expect(await fs.readdir(join(tasksDirectory, world.sessionId)).catch(() => [])).toEqual([]);
  });

  it('T-25 drops waiting updates when a person stops it, and reports its end', async () => {
    const { world, watch, updates, ended } = await staged();
    const taskId = await watch({ command: "printf 'a\\nb\\n'; sleep 600" });
    await until('its lines wait', async () => linesOf(await updates(taskId)).length === 2);
    await world.daemon.core.tasks.stop(OWNER, taskId);
    const { status, end } = await ended(taskId);
    expect([status, end?.cause, end?.by]).toEqual(['cancelled', 'stopped', 'human:owner']);
    const waiting = await updates(taskId, 'waiting');
    expect(linesOf(waiting)).toEqual([]);
    expect(waiting).toHaveLength(1);
  });

  it('T-25 sends no notice when its own session stops it', async () => {
    const { world, watch, updates, ended } = await staged();
    const taskId = await watch({ command: 'echo a; sleep 600' });
    await until('its line waits', async () => (await updates(taskId)).length === 1);
    const by = { kind: 'session' as const, id: world.sessionId, credentialId: 'session' };
    await world.daemon.core.tasks.stop(by, taskId);
    expect((await ended(taskId)).notice).toBe('none');
    expect(await updates(taskId, 'waiting')).toEqual([]);
  });

  it('T-34 ends silently with its session', async () => {
    const { world, watch, ended, updates, task } = await staged();
    const { core } = world.daemon;
    const taskId = await watch({ command: 'sleep 600' });
    await until('it runs', async () => (await processesOf(await task(taskId)))?.length);
    await world.cancel();
    await core.sessions.end(OWNER, world.sessionId);
    const { status, notice } = await ended(taskId);
    expect([status, notice]).toEqual(['cancelled', 'none']);
    expect(await updates(taskId)).toEqual([]);
    expect(await processesOf(await task(taskId))).toEqual([]);
  });

  it('T-35 with a signal accepts messages as that signal; without one it gives the reason', async () => {
    const { world, watch, updates } = await staged();
    const { tasks } = world.daemon.core;
    const command = "trap 'echo received' USR1; echo ready; while :; do sleep 0.02; done";
    const taskId = await watch({ command, signal: 'SIGUSR1' });
    await until('it handles the signal', async () => (await updates(taskId)).length === 1);
    await tasks.send(OWNER, taskId, 'now');
    await until('it received the signal', async () =>
      linesOf(await updates(taskId)).includes('#2 received'),
    );
    const withoutSignal = await watch({ command: 'sleep 600' });
    await expect(tasks.send(OWNER, withoutSignal, 'now')).rejects.toMatchObject({
      code: 'task_takes_no_message',
      message: expect.stringMatching(/without a signal/) as string,
    });
    const withoutHandler = await watch({ command: 'sleep 600', signal: 'SIGHUP' });
    await expect(tasks.send(OWNER, withoutHandler, 'now')).rejects.toMatchObject({
      code: 'task_takes_no_message',
      message: expect.stringMatching(/handles SIGHUP/) as string,
    });
  });

  it('continues after a restart, and sends no line twice', async () => {
    const { world, watch, task, updates, restart, ended, executor } = await staged();
    const taskId = await watch({ command: `echo one; ${UNTIL_GO} echo two; echo three` });
    await until('the first line was sent', async () => (await updates(taskId)).length === 1);
    restart();
    await fs.writeFile(join(world.workspace, 'go'), '');
    await executor().reattach(await task(taskId));
    const { status, end, detail } = await ended(taskId);
    expect([status, end?.cause]).toEqual(['completed', 'exited']);
    expect(linesOf(await updates(taskId))).toEqual(['#1 one', '#2 two', '#3 three']);
    expect(detail).toMatchObject({ events: 3, dropped: 0 });
  });
});

describe('a monitor that is adopted', () => {
  const SILENT = { idle_timeout_ms: 60_000 };
  const past = (world: WorkspaceRun, seconds: number): number =>
    world.clock.now() / 1_000 - seconds;

  it('T-22 counts as silent since its last output, even before the restart', async () => {
    const { watch, updates, task, ended, restart, executor, world } = await staged();
    const taskId = await watch({ command: 'echo one; echo two; sleep 600', ...SILENT });
    await until('its lines were sent', async () => linesOf(await updates(taskId)).length === 2);
    const { outputPath = '' } = await task(taskId);
    restart();
    await fs.utimes(outputPath, past(world, 61), past(world, 61));
    await executor().reattach(await task(taskId));
    const { status, end } = await ended(taskId);
    expect([status, end?.cause]).toEqual(['completed', 'idle']);
    expect(linesOf(await updates(taskId))).toEqual(['#1 one', '#2 two']);
  });

  it.each([
    ['exited', { status: 'failed', end: { cause: 'exited', exitCode: 3 } }],
    ['lost', { status: 'lost', end: { cause: 'outcome_unknown' } }],
  ])(
    'T-22 and has %s meanwhile is settled by that, no matter how long ago',
    async (how, ending) => {
      const { watch, updates, task, ended, restart, executor, world, filesOf } = await staged();
      const command = `echo one; ${UNTIL_GO} echo FAILED; exit 3`;
      const taskId = await watch({ command, ...SILENT });
      await until('its line was sent', async () => linesOf(await updates(taskId)).length === 1);
      const { outputPath = '', detail } = await task(taskId);
      restart();
      await world.file('go');
      const files = filesOf(taskId);
      const nonce = detail['nonce'] as string;
      await until('it has ended', async () => (await files.state(nonce)).type === 'exited');
      if (how === 'lost') {
        // As after a restart of the machine, before which no exit was recorded.
        const { exitCode: _, ...status } = (await files.readStatus(nonce)) ?? {};
        await fs.writeFile(files.status, `${JSON.stringify({ ...status, bootId: 'another' })}\n`);
      }
      await fs.utimes(outputPath, past(world, 480), past(world, 480));
      await executor().reattach(await task(taskId));
      expect(await ended(taskId)).toMatchObject(ending);
      expect(linesOf(await updates(taskId))).toEqual(['#1 one', '#2 FAILED']);
    },
  );

  it('T-22 continues if it was silent for less than its idle time', async () => {
    const { watch, updates, task, restart, executor, world } = await staged();
    const command = `echo one; ${UNTIL_GO} echo two; sleep 600`;
    const taskId = await watch({ command, ...SILENT });
    await until('its line was sent', async () => linesOf(await updates(taskId)).length === 1);
    const { outputPath = '' } = await task(taskId);
    restart();
    await fs.utimes(outputPath, past(world, 59), past(world, 59));
    await executor().reattach(await task(taskId));
    await world.file('go');
    await until('its next line was sent', async () => linesOf(await updates(taskId)).length === 2);
    expect((await task(taskId)).status).toBe('running');
  });

  it('T-22 that never printed counts as silent since its start', async () => {
    const { watch, task, ended, restart, executor, world, filesOf } = await staged();
    const taskId = await watch({ command: 'sleep 600', ...SILENT });
    const nonce = (await task(taskId)).detail['nonce'] as string;
    await until(
      'its status file shows that it runs',
      async () => (await filesOf(taskId).state(nonce)).type === 'running',
    );
    restart();
    world.clock.move(60_000);
    await executor().reattach(await task(taskId));
    expect((await ended(taskId)).end?.cause).toBe('idle');
  });
});

describe('the tool monitor', () => {
  it('T-26 SE-7 shows a reviewer the command and its limits', async () => {
    const { world, call, sandbox } = await staged({ mode: 'ask' });
    const called = call({
      command: 'tail -f $(cat x)',
      description: 'Logs',
      max_events: 7,
      include: 'E',
    });
    const { input, notes, suggestedRule } = await world.answer({ decision: 'deny', scope: 'once' });
    expect(input).toMatchObject({ command: 'tail -f $(cat x)', include: 'E' });
    expect(notes).toEqual([
      `It runs in ${world.workspace}.`,
      expect.stringMatching(/ until 7 of its lines .* for 300 s/),
      'Only lines that match its argument include are sent.',
      expect.stringMatching(/^Commands run /),
      ...(await sandbox.report()).limits,
    ]);
    expect(suggestedRule).toBeUndefined();
    expect(await called).toMatchObject({ outcome: 'denied' });
  });

  it('T-26 runs without approval if a rule for monitors allows it', async () => {
    const { watch, ended } = await staged({
      mode: 'ask',
      permissions: { allow: ['Monitor(true)'] },
    });
    expect((await ended(await watch({ command: 'true' }))).status).toBe('completed');
  });

  it('refuses arguments out of range, and commands that end in &', async () => {
    const { call, world } = await staged();
    const refused: [object, RegExp][] = [
      [{ command: 'touch x &' }, /ends in &/],
      [{ command: 'touch x', max_events: 0 }, /max_events/],
      [{ command: 'touch x', max_events: 10_001 }, /max_events/],
      [{ command: 'touch x', idle_timeout_ms: 600_001 }, /idle_timeout_ms/],
      [{ command: 'touch x', include: '(a)\\1' }, /refers to a group/],
      [{ command: 'touch x', signal: 'SIGKILL' }, /signal/],
    ];
    for (const [input, why] of refused) {
      const { outcome, output } = await call(input);
      expect([outcome, output]).toEqual(['error', expect.stringMatching(why)]);
    }
    expect((await world.daemon.core.tasks.list(OWNER, { limit: 10 })).tasks).toEqual([]);
    expect(existsSync(join(world.workspace, 'x'))).toBe(false);
  });
});
