import { LIMITS, type Principal, type Task } from '@stoa/protocol';
import { OWNER, until } from '@stoa/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { asSession, TaskStage, textOf } from './task-stage.fixture.js';

describe('a request to a task', () => {
  let stage: TaskStage;
  let sessionId: string;

  beforeEach(async () => {
    ({ stage, sessionId } = await TaskStage.withSession());
  });
  afterEach(() => stage.discardSound());

  /** A command that a tool call waits for, which has no entry. */
  const waitedFor = async (description: string): Promise<Task> => {
    const { taskId, ...rest } = await stage.begin(sessionId, 'shell', { description });
    await stage.settle(taskId, { isReported: true });
    const id = `tsk_0000000000000000000000000${description.slice(-1)}`;
    return { ...rest, taskId: id, isForeground: true, status: 'running', notice: 'none' };
  };

  describe('to stop', () => {
    it('T-3 leaves it running until it has stopped; then it is cancelled by the caller, with one notice', async () => {
      const { taskId } = await stage.begin(sessionId);
      let seen: Task | undefined;
      stage.executor('shell').whileStopping = async () => {
        seen = await stage.get(taskId);
      };
      const stopped = await stage.tasks.stop(OWNER, taskId);
      expect(seen).toMatchObject({ status: 'running', stopping: { by: 'human:owner' } });
      expect(stopped).toMatchObject({
        status: 'cancelled',
        end: { cause: 'stopped', by: 'human:owner' },
      });
      expect(stopped.stopping).toBeUndefined();
      expect(await stage.notices(sessionId)).toHaveLength(1);
      await expect(stage.tasks.stop(OWNER, taskId)).rejects.toMatchObject({
        code: 'task_not_running',
      });
      await expect(stage.tasks.stop(OWNER, 'tsk_00000000000000000000000000')).rejects.toMatchObject(
        { code: 'task_not_found' },
      );
    });

    it('twice at once stops it once', async () => {
      const { taskId } = await stage.begin(sessionId);
      const both = await Promise.all([
        stage.tasks.stop(OWNER, taskId),
        stage.tasks.stop(OWNER, taskId),
      ]);
      expect(both.map(({ status }) => status)).toEqual(['cancelled', 'cancelled']);
      expect(stage.executor('shell').stopped).toHaveLength(1);
      expect(await stage.notices(sessionId)).toHaveLength(1);
    });

    it('T-25 by its own session drops waiting items about it and sends no notice', async () => {
      await stage.daemon.core.inbox.submit(OWNER, sessionId, { text: 'x', rule: 'followup' });
      await stage.daemon.driver.nth(1);
      const { taskId } = await stage.begin(sessionId, 'monitor');
      const other = await stage.begin(sessionId, 'monitor');
      await stage.tasks.sendUpdate(taskId, 'line 1', { events: 1 });
      await stage.tasks.sendUpdate(other.taskId, 'of another');
      await stage.tasks.sendUpdate(taskId, 'line 2', { events: 2 });
      const stopped = await stage.tasks.stop(asSession(sessionId), taskId);
      expect(stopped).toMatchObject({ notice: 'none', detail: { events: 2 } });
      const states = (await stage.notices(sessionId)).map((item) => [textOf(item), item.state]);
      expect(states).toEqual([
        ['line 1', 'dropped'],
        ['of another', 'waiting'],
        ['line 2', 'dropped'],
      ]);
      expect(await stage.tasks.sendUpdate(taskId, 'too late')).toBe(false);
    });

    it('that fails leaves it running, and the caller gets the error', async () => {
      const { taskId } = await stage.begin(sessionId);
      stage.executor('shell').whileStopping = () => Promise.reject(new Error('it is immortal'));
      await expect(stage.tasks.stop(OWNER, taskId)).rejects.toThrow('it is immortal');
      const task = await stage.get(taskId);
      expect(task).toMatchObject({ status: 'running', notice: 'due' });
      expect(task.stopping).toBeUndefined();
    });
  });

  it('T-35 with a message succeeds if its kind takes messages, and otherwise fails with the reason', async () => {
    const agent = await stage.begin(sessionId, 'agent');
    const open = { command: 'cat', stdin: true };
    const reads = await stage.begin(sessionId, 'shell', { detail: open });
    const signalled = { command: 'x', messageSignal: 'SIGUSR1' };
    const heeds = await stage.begin(sessionId, 'monitor', { detail: signalled });
    for (const { taskId, kind } of [agent, reads, heeds]) {
      await stage.tasks.send(OWNER, taskId, 'hello');
      expect(stage.executor(kind).sent).toEqual([{ taskId, text: 'hello', from: 'human:owner' }]);
    }
    const refused = async (taskId: string, text = 'hello'): Promise<[string, string]> => {
      const error: unknown = await stage.tasks.send(OWNER, taskId, text).catch((e: unknown) => e);
      const { code, message } = error as { code: string; message: string };
      return [code, message];
    };
    const shell = await stage.begin(sessionId);
    expect(await refused(shell.taskId)).toEqual([
      'task_takes_no_message',
      expect.stringMatching(
        new RegExp(`^“${shell.description}” takes no message: its standard input is closed`),
      ),
    ]);
    const monitor = await stage.begin(sessionId, 'monitor');
    expect(await refused(monitor.taskId)).toEqual([
      'task_takes_no_message',
      expect.stringContaining('without a signal'),
    ]);
    const dream = await stage.begin(sessionId, 'dream');
    expect((await refused(dream.taskId))[0]).toBe('task_takes_no_message');
    await stage.settle(reads.taskId);
    expect((await refused(reads.taskId))[1]).toContain('it has ended: completed');
    expect((await refused('tsk_00000000000000000000000000'))[0]).toBe('task_not_found');
    const [code] = await refused(agent.taskId, 'x'.repeat(LIMITS.textChars + 1));
    expect(code).toBe('invalid_request');
  });

  it('T-7 to send it to the background needs its id, unless it is the only one', async () => {
    const shell = stage.executor('shell');
    const [one, two] = [await waitedFor('command 1'), await waitedFor('command 2')];
    shell.waited = [one, two];
    await expect(stage.tasks.promote(OWNER, sessionId)).rejects.toMatchObject({
      code: 'task_ambiguous',
      message: expect.stringContaining(two.taskId) as string,
    });
    const foreground = await stage.begin(sessionId, 'agent', { isForeground: true });
    shell.waited = [];
    const promoted = await stage.tasks.promote(OWNER, sessionId);
    expect(promoted).toMatchObject({ taskId: foreground.taskId, isForeground: false });
    expect(promoted.notice).toBe('due');
    await expect(stage.tasks.promote(OWNER, sessionId, foreground.taskId)).rejects.toMatchObject({
      code: 'task_not_foreground',
    });
  });

  it('T-36 lists a foreground task with the others while it runs, and there is no notice of its end', async () => {
    const agent = await stage.begin(sessionId, 'agent', { isForeground: true });
    stage.world.clock.move(5);
    const background = await stage.begin(sessionId);
    const command = await waitedFor('command 1');
    stage.executor('shell').waited = [command];
    const listed = await stage.list(sessionId);
    expect(listed.slice(0, 3).sort()).toEqual(
      [agent.taskId, background.taskId, command.taskId].sort(),
    );
    expect((await stage.get(command.taskId)).isForeground).toBe(true);
    expect(await stage.tasks.stop(OWNER, command.taskId)).toMatchObject({
      status: 'cancelled',
      end: { cause: 'stopped', by: 'human:owner' },
      endedAt: stage.world.clock.now(),
    });
    expect(await stage.list(sessionId)).not.toContain(command.taskId);
    await stage.settle(agent.taskId);
    expect(await stage.notices(sessionId)).toEqual([]);
  });

  it('T-42 notices of 25 ends while the session is busy are taken by one run', async () => {
    await stage.daemon.core.inbox.submit(OWNER, sessionId, { text: 'x', rule: 'followup' });
    const busy = await stage.daemon.driver.nth(1);
    const ids: string[] = [];
    for (let i = 0; i < 25; i++) ids.push((await stage.begin(sessionId)).taskId);
    await Promise.all(ids.map((taskId) => stage.settle(taskId)));
    busy.complete();
    const run = await stage.daemon.driver.nth(2);
    expect(run.context.kind).toBe('task_notice');
    const taken = run.context.items.map(({ metadata }) => metadata['taskId']);
    expect(taken.sort()).toEqual(ids.sort());
    await run.deliver();
    run.complete();
    await until('it is idle', async () => {
      return (await stage.daemon.core.sessions.get(OWNER, sessionId)).status === 'idle';
    });
    expect(stage.daemon.driver.runs).toHaveLength(2);
  });

  it('for output waits for it, and reports when it is complete', async () => {
    const { taskId } = await stage.begin(sessionId);
    const shell = stage.executor('shell');
    shell.output = 'first';
    const first = await stage.tasks.output(OWNER, taskId, { offset: 0, limit: 3 });
    expect(first).toMatchObject({ text: 'fir', nextOffset: 3, size: 5, isComplete: false });
    const waiting = stage.tasks.output(OWNER, taskId, { offset: 5, limit: 99, waitMs: 30_000 });
    await until('a reader waits', () => stage.daemon.timers.count > 0);
    shell.output = 'first second';
    stage.pass(100);
    expect((await waiting).text).toBe(' second');
    await stage.settle(taskId);
    const rest = await stage.tasks.output(OWNER, taskId, { offset: 12, limit: 9, waitMs: 30_000 });
    expect(rest).toMatchObject({ text: '', isComplete: true });
    shell.output = undefined;
    await expect(stage.tasks.output(OWNER, taskId, { offset: 0, limit: 9 })).rejects.toMatchObject({
      code: 'task_without_output',
    });
  });

  it('is allowed to the person, the owner, the session and the sessions above it', async () => {
    const child = await stage.session(sessionId);
    const { taskId } = await stage.begin(child);
    const stranger = await stage.session();
    const may = (by: Principal): Promise<unknown> =>
      stage.tasks.get(by, taskId).then(
        () => 'yes',
        (error: unknown) => (error as { code: string }).code,
      );
    const human: Principal = { kind: 'human', id: 'eve', owner: false, credentialId: 'crd_1' };
    expect(await may(OWNER)).toBe('yes');
    expect(await may(asSession(child))).toBe('yes');
    expect(await may(asSession(sessionId))).toBe('yes');
    expect(await may(asSession(stranger))).toBe('forbidden');
    expect(await may(human)).toBe('forbidden');
    expect((await stage.tasks.list(human, { limit: 9 })).tasks).toEqual([]);
    await expect(stage.tasks.stopAll(asSession(child), sessionId)).rejects.toMatchObject({
      code: 'forbidden',
    });
  });

  it('to resume a paused one starts it if a slot is free, and queues it otherwise', async () => {
    const paused = await stage.begin(sessionId, 'agent');
    await stage.tasks.change(paused.taskId, { status: 'paused' });
    expect((await stage.tasks.resume(OWNER, paused.taskId)).status).toBe('running');
    expect(stage.executor('agent').resumed).toEqual([paused.taskId]);
    await stage.tasks.change(paused.taskId, { status: 'paused' });
    const others = [];
    for (let i = 0; i < 10; i++) others.push(await stage.begin(sessionId, 'agent'));
    expect((await stage.tasks.resume(OWNER, paused.taskId)).status).toBe('queued');
    await stage.settle(others[0]?.taskId ?? '');
    await until('it goes on', () => stage.executor('agent').resumed.length === 2);
    await expect(stage.tasks.resume(OWNER, paused.taskId)).rejects.toMatchObject({
      code: 'task_not_resumable',
    });
    await stage.tasks.change(paused.taskId, { status: 'paused', blockedReason: 'no transcript' });
    await expect(stage.tasks.resume(OWNER, paused.taskId)).rejects.toThrow('no transcript');
    const shell = await stage.begin(sessionId);
    await stage.settle(shell.taskId);
    await expect(stage.tasks.resume(OWNER, shell.taskId)).rejects.toMatchObject({
      code: 'task_not_resumable',
    });
  });

  it('that cannot be started fails, and its slot is free', async () => {
    const agents = [];
    for (let i = 0; i < 11; i++) agents.push(await stage.begin(sessionId, 'agent'));
    stage.executor('agent').whenStarted = () => Promise.reject(new Error('no such agent'));
    const waiting = agents.at(-1)?.taskId ?? '';
    await stage.settle(agents[0]?.taskId ?? '');
    await until('it has failed', async () => (await stage.statusOf(waiting)) === 'failed');
    expect((await stage.get(waiting)).end).toMatchObject({
      cause: 'spawn_failed',
      message: 'no such agent',
    });
    expect((await stage.begin(sessionId, 'agent')).status).toBe('running');
  });
});
