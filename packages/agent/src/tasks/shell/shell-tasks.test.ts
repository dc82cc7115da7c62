import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, promises as fs, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { Task } from '@stoa/protocol';
import { OWNER, processesWith, sendSignal, until } from '@stoa/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { systemPrograms } from '../../tools/shell/system-programs.js';
import { ShellStage } from './shell-stage.fixture.js';

const stages: ShellStage[] = [];
afterEach(async () => {
  for (const stage of stages.splice(0)) await stage.close();
});
const staged = async (...options: Parameters<typeof ShellStage.open>): Promise<ShellStage> => {
  const stage = await ShellStage.open(...options);
  stages.push(stage);
  return stage;
};

const WAITING = 'echo begun; until [ -e go ]; do sleep 0.02; done; echo after; exit 3';
const markOf = (task: Task): string => `STOA_TASK=${task.detail['nonce'] as string}`;
const transcriptOf = ({ outputPath = '' }: Task): string => outputPath.replace(/output$/, 'jsonl');
const pidOf = (task: Task): number => Number(task.detail['pid']);
const startTimeOf = (pid: number): string | undefined =>
  readFileSync(`/proc/${String(pid)}/stat`, 'latin1')
    .split(') ')[1]
    ?.split(' ')[19];

/** The notices that its session got about a task. */
async function notices(stage: ShellStage, taskId: string): Promise<string[]> {
  const events = await stage.world.session().events();
  return events.flatMap((event) =>
    event.type === 'accepted' && event.data.metadata['taskId'] === taskId
      ? [JSON.stringify(event.data.inputItems)]
      : [],
  );
}

describe('a command in the background', () => {
  it('T-1 that fails is failed with its exit code, and its session gets one notice, with the tail', async () => {
    const stage = await staged();
    const { taskId } = await stage.background('echo last words; false');
    const task = await stage.ended(taskId);
    expect(task).toMatchObject({ status: 'failed', end: { cause: 'exited', exitCode: 1 } });
    const sent = await notices(stage, taskId);
    expect(sent).toHaveLength(1);
    expect(sent[0]).toMatch(/exit code 1.*last words/s);
  });

  it('T-1 that succeeds is completed, and its output and transcript stay', async () => {
    const stage = await staged();
    const { taskId } = await stage.background('echo hello');
    const task = await stage.ended(taskId);
    expect(task).toMatchObject({ status: 'completed', end: { cause: 'exited', exitCode: 0 } });
    expect(await stage.output(task)).toBe('hello\n');
    const lines = (
      await fs.readFile(
        `${stage.world.home}/tasks/${stage.world.sessionId}/shell-${taskId}.jsonl`,
        'utf8',
      )
    )
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string });
    expect(lines.map(({ type }) => type)).toEqual(['started', 'ended']);
    await stage.executor.forget(task);
    expect(await stage.files()).toEqual([]);
  });

  it('T-2 that a signal from outside ends has failed, with the name of the signal', async () => {
    const stage = await staged();
    const { taskId } = await stage.background('echo $$ >pid; exec sleep 60');
    const path = join(stage.world.workspace, 'pid');
    const pid = await until('it has written its process id', () =>
      fs.readFile(path, 'utf8').then(
        (text) => Number(text) || undefined,
        () => undefined,
      ),
    );
    sendSignal(pid, 'SIGSEGV');
    expect(await stage.ended(taskId)).toMatchObject({
      status: 'failed',
      end: { cause: 'signal', signal: 'SIGSEGV', exitCode: 139 },
    });
  });

  it('T-2 that is killed together with its wrapper has failed, by that signal', async () => {
    const stage = await staged();
    const task = await stage.background('echo begun; sleep 60');
    await stage.printed(task, 'begun');
    sendSignal(-pidOf(task), 'SIGKILL');
    expect(await stage.ended(task.taskId)).toMatchObject({
      status: 'failed',
      end: { cause: 'signal', signal: 'SIGKILL' },
    });
  });

  it('T-3 that is stopped is running until its processes are gone, then cancelled', async () => {
    const stage = await staged();
    const task = await stage.background(`trap '' TERM; echo ready; while :; do sleep 300; done`);
    await stage.printed(task, 'ready');
    const stopped = stage.executor.stop(task, 'owner');
    expect((await stage.task(task.taskId)).status).toBe('running');
    await stopped;
    expect(processesWith(markOf(task))).toEqual([]);
    expect(await stage.task(task.taskId)).toMatchObject({
      status: 'cancelled',
      end: { cause: 'stopped', by: 'owner', signal: 'SIGKILL' },
    });
  });

  it('is stopped at its timeout, if it has one', async () => {
    const stage = await staged();
    const { taskId } = await stage.background('sleep 60', { timeout: 200 });
    expect(await stage.ended(taskId)).toMatchObject({
      status: 'failed',
      end: { cause: 'timeout', by: 'timeout' },
    });
  });

  it('T-15 whose directory cannot be written has failed with that cause, and nothing was started', async () => {
    const stage = await staged();
    await fs.mkdir(join(stage.world.home, 'tasks'));
    // A file instead of the directory, because permissions do not restrict root.
    await fs.writeFile(join(stage.world.home, 'tasks', stage.world.sessionId), '');
    const { outcome, output } = await stage.call({ command: 'touch ran', is_background: true });
    expect(outcome).toBe('error');
    expect(output).toMatch(/could not be started: its files in .* cannot be created/);
    const [task] = await stage.tasks();
    expect(task).toMatchObject({ status: 'failed', end: { cause: 'output_failed' } });
    expect(await fs.readdir(stage.world.workspace)).toEqual([]);
  });

  it('T-15 whose disk is full is stopped, and has failed with that cause', async (context) => {
    const stage = await staged();
    const tasks = join(stage.world.home, 'tasks');
    await fs.mkdir(tasks);
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'stoa', tasks]);
    if (mounted.status !== 0) context.skip('no file system can be mounted here');
    try {
      const flood = await stage.background('yes | head -c 3000000; echo $? >printed; sleep 600');
      expect(await stage.ended(flood.taskId)).toMatchObject({
        status: 'failed',
        end: {
          cause: 'output_failed',
          message: expect.stringContaining('No space left on device') as string,
        },
      });
      expect(processesWith(markOf(flood))).toEqual([]);
      const { outcome } = await stage.call({ command: 'touch ran', is_background: true });
      expect(outcome).toBe('error');
      expect((await stage.tasks())[0]).toMatchObject({ end: { cause: 'output_failed' } });
      expect(await fs.readdir(stage.world.workspace)).not.toContain('ran');
    } finally {
      spawnSync('umount', [tasks]);
    }
  });

  it('T-15 whose output can no longer be written is stopped, and has failed with that cause', async () => {
    const stage = await staged();
    const task = await stage.background(
      'echo begun; until [ -e go ]; do sleep 0.02; done; sleep 600',
    );
    expect(task.outputPath).toBeDefined();
    await stage.go();
    // The file of the next part exists already, so it cannot be written, as on a full disk.
    const flood = await stage.background(
      'until [ -e flood ]; do sleep 0.02; done; yes | head -c 5000000; sleep 600',
    );
    await fs.writeFile(`${flood.outputPath ?? ''}.1`, '');
    await stage.go('flood');
    expect(await stage.ended(flood.taskId)).toMatchObject({
      status: 'failed',
      end: { cause: 'output_failed' },
    });
    expect(processesWith(markOf(flood))).toEqual([]);
    expect((await stage.task(task.taskId)).status).toBe('running');
  });

  it('T-15 whose files were replaced by a socket and a pipe is settled', async () => {
    const stage = await staged();
    const task = await stage.background(WAITING);
    const { outputPath = '' } = task;
    const transcriptPath = transcriptOf(task);
    await stage.printed(task, 'begun');
    await until('its transcript is begun', () => existsSync(transcriptPath));
    await fs.rm(outputPath);
    await fs.rm(transcriptPath);
    // A socket cannot be opened, and opening a pipe for writing waits for a reader.
    const short = join(stage.world.workspace, 's');
    const server = createServer().listen(short);
    await once(server, 'listening');
    await fs.rename(short, outputPath);
    expect(spawnSync('mkfifo', [transcriptPath]).status).toBe(0);
    try {
      await stage.go();
      expect(await stage.ended(task.taskId)).toMatchObject({
        status: 'failed',
        end: { cause: 'exited', exitCode: 3 },
      });
      expect(await notices(stage, task.taskId)).toEqual([
        expect.stringMatching(/exit code 3.*Its output was replaced/),
      ]);
      await expect(stage.output(task)).rejects.toMatchObject({ code: 'task_without_output' });
    } finally {
      server.close();
    }
  });

  it('T-1 whose end cannot be stored at first is settled later', async () => {
    const stage = await staged();
    const task = await stage.background(WAITING);
    await stage.printed(task, 'begun');
    const { store } = stage.world.daemon;
    const transact = store.transact.bind(store);
    let refused = 0;
    store.transact = () => {
      refused += 1;
      return Promise.reject(new Error('the disk is full'));
    };
    await stage.go();
    await until('storing its end was tried twice', () => refused > 1);
    expect(await stage.task(task.taskId)).toMatchObject({ status: 'running' });
    store.transact = transact;
    expect(await stage.ended(task.taskId)).toMatchObject({
      status: 'failed',
      end: { exitCode: 3 },
    });
    expect(await notices(stage, task.taskId)).toHaveLength(1);
  });

  it('that the system refuses to start has failed with that cause, and the caller gets the reason', async () => {
    const stage = await staged();
    const command = `: ${'€'.repeat(60_000)}`;
    const refused = await stage.call({ command, is_background: true });
    expect(refused.outcome).toBe('error');
    expect(refused.output).toMatch(/^tsk_\w+ could not be started: the command is longer than/);
    expect(await stage.tasks()).toMatchObject([
      { status: 'failed', end: { cause: 'spawn_failed' } },
    ]);
    expect(await stage.call({ command })).toMatchObject({
      outcome: 'error',
      output: 'the command is longer than the system accepts (E2BIG)',
    });
  });

  it('T-35 with an open input accepts messages in order, and refuses them after it has ended', async () => {
    const stage = await staged();
    const task = await stage.background('while read -r line; do echo "got $line"; done; sleep 60', {
      stdin: true,
    });
    expect(task.detail).toMatchObject({ stdin: true });
    const from = 'owner';
    await Promise.all(
      ['one', 'two', 'three'].map((text) => stage.executor.send(task, { text, from })),
    );
    await stage.printed(task, 'got three');
    expect(await stage.output(task)).toBe('got one\ngot two\ngot three\n');
    await stage.executor.stop(task, 'owner');
    await expect(stage.executor.send(task, { text: 'late', from })).rejects.toMatchObject({
      code: 'task_takes_no_message',
    });
  });

  it('T-35 that does not read accepts as much as fits, and the error says so', async () => {
    const stage = await staged();
    const task = await stage.background('sleep 60', { stdin: true });
    await expect(
      stage.executor.send(task, { text: 'x'.repeat(200_000), from: 'owner' }),
    ).rejects.toMatchObject({
      message: expect.stringMatching(/accepted \d+ of 200001 bytes/) as string,
    });
  });

  it('is refused with an & at its end, and with options that do not apply', async () => {
    const stage = await staged();
    const refusal = async (input: Readonly<Record<string, unknown>>): Promise<string> => {
      const { outcome, output } = await stage.call(input);
      expect(outcome).toBe('error');
      return output;
    };
    expect(await refusal({ command: 'make &', is_background: true })).toMatch(/Leave out the &/);
    expect(
      await refusal({ command: 'make', is_background: true, on_timeout: 'background' }),
    ).toMatch(/on_timeout/);
    expect(await refusal({ command: 'cat', stdin: true })).toMatch(/is_background/);
    expect(await refusal({ command: 'sleep 5' })).toMatch(/monitor/);
    expect(await stage.tasks()).toEqual([]);
  });
});

describe('a command that a call waits for', () => {
  it('T-5 is promoted with the same process and start, and its output and exit follow', async () => {
    const stage = await staged();
    const called = stage.call({ command: WAITING });
    const [waited] = await stage.waitedFor(1);
    if (!waited) throw new Error('no command is in the foreground');
    await stage.printed(waited, 'begun');
    const began = startTimeOf(pidOf(waited));
    expect(waited).toMatchObject({ isForeground: true, status: 'running' });
    await stage.executor.promote(waited);
    const { outcome, output } = await called;
    expect(outcome).toBe('ok');
    expect(output).toMatch(/^begun\n\[Promoted: .* background as tsk_.*was not stopped/s);
    expect(output).not.toMatch(/abort/i);
    const task = await stage.task(waited.taskId);
    expect(task).toMatchObject({
      isForeground: false,
      status: 'running',
      startedAt: waited.startedAt,
      detail: { pid: pidOf(waited) },
    });
    expect(startTimeOf(pidOf(task))).toBe(began);
    expect(stage.executor.foreground()).toEqual([]);
    await stage.go();
    expect(await stage.ended(task.taskId)).toMatchObject({
      status: 'failed',
      end: { exitCode: 3 },
    });
    expect(await stage.output(task)).toBe('begun\nafter\n');
    expect(await notices(stage, task.taskId)).toHaveLength(1);
  });

  it('T-6 that has ended cannot be promoted: its result is the usual one, and there is no task', async () => {
    const stage = await staged();
    const called = stage.call({ command: WAITING });
    const [waited] = await stage.waitedFor(1);
    if (!waited) throw new Error('no command is in the foreground');
    await stage.go();
    expect((await called).output).toMatch(/^begun\nafter\n\[Exit code 3\]\n/);
    await expect(stage.executor.promote(waited)).rejects.toMatchObject({
      code: 'task_not_foreground',
    });
    expect(await stage.tasks()).toEqual([]);
    expect(await stage.files()).toEqual([]);
  });

  it('T-7 is one of two: both are listed, and only the named one is promoted', async () => {
    const stage = await staged();
    const calls = [stage.call({ command: WAITING }), stage.call({ command: `${WAITING} #2` })];
    const waited = await stage.waitedFor(2);
    const second = waited.find(({ description }) => description.endsWith('#2'));
    if (!second) throw new Error('the second is not listed');
    await stage.executor.promote(second);
    expect((await calls[1])?.output).toMatch(/Promoted/);
    expect(stage.executor.foreground()).toHaveLength(1);
    await stage.go();
    expect((await calls[0])?.output).toMatch(/\[Exit code 3\]\n/);
    expect((await stage.tasks()).map(({ taskId }) => taskId)).toEqual([second.taskId]);
  });

  it('T-8 that reaches its timeout is stopped, and its result says so', async () => {
    const stage = await staged();
    const stubborn = `trap '' TERM; echo ready; while :; do sleep 300; done`;
    const called = stage.call({ command: stubborn, timeout: 300 });
    const [waited] = await stage.waitedFor(1);
    if (!waited) throw new Error('no command is in the foreground');
    await until('it is being stopped', () => stage.executor.foreground().length === 0);
    await expect(stage.executor.promote(waited)).rejects.toMatchObject({
      code: 'task_not_foreground',
    });
    expect((await called).output).toMatch(/\[Stopped after its 300 ms were over/);
    expect(await stage.tasks()).toEqual([]);
  });

  it('T-8 continues in the background after its timeout with on_timeout, and its result says so', async () => {
    const stage = await staged();
    const { outcome, output } = await stage.call({
      command: WAITING,
      timeout: 200,
      on_timeout: 'background',
    });
    expect(outcome).toBe('ok');
    expect(output).toMatch(/Its 200 ms were over: moved to the background as tsk_/);
    const [task] = await stage.tasks();
    expect(task).toMatchObject({ status: 'running' });
    await stage.go();
    await stage.ended(task?.taskId ?? '');
  });

  it('T-3 T-5 that is stopped during its promotion is stopped as a task', async () => {
    const stage = await staged();
    const call = stage.call({ command: 'tail -f /dev/null' });
    const [waited] = await stage.waitedFor(1);
    const { tasks } = stage.world.daemon.core;
    const create = tasks.create.bind(tasks);
    let stopped: Promise<unknown> = Promise.resolve();
    tasks.create = async (...wanted) => {
      const task = await create(...wanted);
      // It is stored, and not followed yet.
      stopped = tasks.stop(OWNER, task.taskId);
      await until('it is being stopped', async () => (await stage.task(task.taskId)).stopping);
      return task;
    };
    const { taskId = '' } = waited ?? {};
    await stage.executor.promote({ taskId } as Task);
    expect((await call).output).toContain('Promoted');
    await stopped;
    expect(await stage.task(taskId)).toMatchObject({
      status: 'cancelled',
      end: { cause: 'stopped', by: 'human:owner' },
    });
    const lines = readFileSync(transcriptOf(await stage.task(taskId)), 'utf8')
      .trimEnd()
      .split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { type: string }).type)).toEqual([
      'promoted',
      'ended',
    ]);
  });

  it('T-3 can be stopped, and its result says by whom', async () => {
    const stage = await staged();
    const called = stage.call({ command: 'echo begun; sleep 60' });
    const [waited] = await stage.waitedFor(1);
    if (!waited) throw new Error('no command is in the foreground');
    await stage.printed(waited, 'begun');
    await stage.executor.stop(waited, 'owner');
    expect((await called).output).toBe('begun\n[Stopped by owner (SIGTERM)]');
  });

  it('makes no commit of its own', async () => {
    const stage = await staged();
    const types = () => stage.world.session().types();
    const before = (await types()).length;
    await stage.call({ command: 'true' });
    expect((await types()).slice(before)).toEqual(['tool_call', 'tool_result']);
  });

  it('T-10 that took half of its time or more gets advice', async () => {
    let elapsed = 0;
    const times: number[] = [];
    const stage = await staged({ monotonic: () => times.shift() ?? elapsed });
    const outputAfter = async (ms: number, input: Readonly<Record<string, unknown>> = {}) => {
      times.push(0);
      elapsed = ms;
      return (await stage.call({ command: 'echo done', ...input })).output;
    };
    expect(await outputAfter(61_000)).toMatch(/^done\n\[Took 61000 of 120000 ms/);
    expect(await outputAfter(59_000)).toBe('done');
    expect(await outputAfter(999, { timeout: 1_000 })).toBe('done');
    expect(await outputAfter(1_000, { timeout: 30_000 })).toBe('done');
    times.push(0);
    elapsed = 110_000;
    const stopped = await stage.call({ command: 'sleep 1; sleep 60', timeout: 100 });
    expect(stopped.output).toMatch(/Stopped/);
    expect(stopped.output).not.toMatch(/Took/);
  });

  it('T-12 that watches a file gets the hint to use a monitor', async () => {
    const stage = await staged();
    await stage.world.file('log', 'line\n');
    const { output } = await stage.call({ command: 'tail -f log', timeout: 300 });
    expect(output).toMatch(/^line\n\[Stopped after its 300 ms[^]*the monitor tool/);
  });

  it('gets a terminal on request', async (context) => {
    if (!(await systemPrograms.hasPseudoTerminal()))
      context.skip('script of util-linux is not installed');
    const stage = await staged();
    expect((await stage.call({ command: 'test -t 1 && echo yes || echo no' })).output).toBe('no');
    const { output } = await stage.call({
      command: 'test -t 1 && echo "yes $TERM"; stty size; exit 6',
      pty: true,
    });
    expect(output).toBe('yes xterm-256color\n24 80\n[Exit code 6]');
    const task = await stage.background('read -r line; echo "got $line"', {
      pty: true,
      stdin: true,
    });
    await stage.executor.send(task, { text: 'hello', from: 'owner' });
    expect(await stage.ended(task.taskId)).toMatchObject({ status: 'completed' });
    expect(await stage.output(task)).toMatch(/got hello/);
  });
});
