import { type AgentDefinition, type Principal, StoaError, type Task } from '@stoa/protocol';
import {
  AgentSession,
  type DirectedRun,
  definitionOf,
  OWNER,
  type RuntimeDaemon,
  RuntimeWorld,
  STORE_ENGINES,
  until,
} from '@stoa/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { NewSubAgent } from './launch-agent.js';

const RESUMABLE = { isForeground: false, onRestart: 'pause' } as const;

describe('agents as background tasks', () => {
  let world: RuntimeWorld;
  let daemon: RuntimeDaemon;
  let parent: AgentSession;
  let isWorkspaceGone: boolean;
  let agents: Record<string, AgentDefinition>;

  const start = async (): Promise<RuntimeDaemon> => {
    const obedient = { stop: () => Promise.resolve(), reattach: () => Promise.resolve() };
    const started = await world.start({
      taskExecutors: new Map([
        ['shell', () => obedient],
        ['monitor', () => obedient],
      ]),
      builtinAgents: () => Promise.resolve(agents),
      workspaces: {
        resolve: (workspace) =>
          isWorkspaceGone
            ? Promise.reject(new StoaError('invalid_workspace', 'there is none'))
            : Promise.resolve(workspace ?? '/work'),
        instructions: () => Promise.resolve(undefined),
        isShared: () => true,
        isSelfApproved: () => true,
      },
    });
    await started.core.tasks.recover();
    return started;
  };
  const restart = async (): Promise<void> => {
    await daemon.abandon();
    daemon = await start();
    parent = parent.on(daemon);
  };

  beforeEach(async () => {
    isWorkspaceGone = false;
    const helper = definitionOf({ kind: 'script', script: '' }, 'Help.');
    agents = { helper, scout: helper };
    const [engine] = STORE_ENGINES;
    if (!engine) throw new Error('there is no engine');
    world = await RuntimeWorld.open(engine);
    daemon = await start();
    parent = await AgentSession.open(daemon, 'helper');
  });
  afterEach(async () => {
    await world.discard();
  });

  const launch = (change: Partial<NewSubAgent> = {}, from = parent.sessionId): Promise<Task> =>
    daemon.core.subAgents.launch(from, {
      description: 'look around',
      prompt: 'Look around.',
      ...RESUMABLE,
      programs: [],
      ...change,
    });
  const get = (taskId: string): Promise<Task> => daemon.core.tasks.get(OWNER, taskId);
  const ended = (taskId: string): Promise<Task> =>
    until(`${taskId} has ended`, async () => {
      const task = await get(taskId);
      return task.endedAt === undefined ? undefined : task;
    });
  const sessionOf = ({ detail }: Task): AgentSession =>
    AgentSession.of(daemon, detail['sessionId'] as string);
  const runOf = (task: Task): Promise<DirectedRun> =>
    until(`${task.taskId} works`, () =>
      daemon.driver.runs.findLast(
        ({ context }) => context.session.sessionId === task.detail['sessionId'],
      ),
    );
  const notices = async (): Promise<string[]> => {
    const { items } = await daemon.core.inbox.list(OWNER, parent.sessionId, {
      kind: 'task_notice',
      limit: 100,
    });
    return items.flatMap(({ inputItems }) =>
      inputItems.flatMap((item) => (item.type === 'text' ? [item.text] : [])),
    );
  };
  const self = (): Principal => ({
    kind: 'session',
    id: parent.sessionId,
    credentialId: 'session',
  });

  it('T-36 one in the background tells once of its end, with its result, usage and transcript', async () => {
    const task = await launch();
    expect(task).toMatchObject({ kind: 'agent', status: 'running', sessionId: parent.sessionId });
    const run = await runOf(task);
    expect(run.texts).toEqual(['Look around.']);
    expect(run.context.session.parentSessionId).toBe(parent.sessionId);
    await run.deliver();
    run.complete('There is a cat.');
    const done = await ended(task.taskId);
    expect(done).toMatchObject({ status: 'completed', notice: 'sent' });
    const told = await notices();
    expect(told).toHaveLength(1);
    expect(told[0]).toContain('There is a cat.');
    expect(told[0]).toContain('Usage: 0 model calls');
    expect(told[0]).toContain(`/tasks/${parent.sessionId}/agent-${task.taskId}.jsonl`);
    const types = await sessionOf(task).types();
    expect(types.at(-1)).toBe('completed');
  });

  it('T-36 one that is waited for is listed while it runs, answers with all it said, and gives no notice', async () => {
    const task = await launch({ isForeground: true });
    const listed = await daemon.core.tasks.list(OWNER, { limit: 10 });
    expect(listed.tasks).toMatchObject([{ taskId: task.taskId, isForeground: true }]);
    const waiting = daemon.core.subAgents.finished(task.taskId, new AbortController().signal);
    const run = await runOf(task);
    await run.deliver();
    const said = 'x'.repeat(10_000);
    run.complete(said);
    const done = await waiting;
    expect(done.status).toBe('completed');
    expect(await daemon.core.subAgents.resultOf(done)).toBe(said);
    expect(await notices()).toEqual([]);
  });

  it('T-36 one that is waited for goes with the run that waits for it, and waits for no place', async () => {
    await parent.submit('Begin.');
    const caller = await daemon.driver.nth(1);
    for (let count = 0; count < 10; count += 1) await launch();
    const { runId } = caller;
    const task = await launch({ isForeground: true, runId });
    expect(task.status).toBe('running');
    const run = await runOf(task);
    await daemon.core.runs.cancel(OWNER, runId);
    expect(await ended(task.taskId)).toMatchObject({ status: 'cancelled' });
    expect(run.context.signal.aborted).toBe(true);
  });

  it('one that is waited for can be sent to the background, and tells of its end then', async () => {
    const task = await launch({ isForeground: true });
    const waiting = daemon.core.subAgents.finished(task.taskId, new AbortController().signal);
    await runOf(task);
    await daemon.core.tasks.promote(OWNER, parent.sessionId);
    expect(await waiting).toMatchObject({ status: 'running', isForeground: false });
    (await runOf(task)).complete('done');
    await ended(task.taskId);
    expect(await notices()).toHaveLength(1);
  });

  it('T-28 the eleventh waits, those that wait begin in their order, and one that is cancelled there takes no place', async () => {
    const running: Task[] = [];
    for (let count = 0; count < 10; count += 1) running.push(await launch());
    const waiting: Task[] = [];
    for (let count = 0; count < 3; count += 1) {
      waiting.push(await launch());
      world.clock.move(1);
    }
    const [eleventh, twelfth, thirteenth] = waiting as [Task, Task, Task];
    expect(waiting.map(({ status }) => status)).toEqual(Array(3).fill('queued'));
    for (const task of running) await runOf(task);
    await daemon.core.runner.look();
    expect(daemon.driver.runs).toHaveLength(10);
    await daemon.core.tasks.stop(OWNER, eleventh.taskId);
    expect(await get(eleventh.taskId)).toMatchObject({ status: 'cancelled' });
    const [first] = running;
    if (!first) throw new Error('none runs');
    (await runOf(first)).complete('one');
    const run = await runOf(twelfth);
    expect(run.texts).toEqual(['Look around.']);
    expect((await get(thirteenth.taskId)).status).toBe('queued');
    expect(
      (await daemon.core.tasks.list(OWNER, { status: 'running', limit: 50 })).tasks,
    ).toHaveLength(10);
    await until('its session has ended', async () => {
      const { status } = await daemon.core.sessions.get(OWNER, sessionOf(eleventh).sessionId);
      return status === 'ended' || undefined;
    });
  });

  it('T-29 one that ran in a crash is paused; its run is held back until it is resumed, and goes on then', async () => {
    const task = await launch();
    await (await runOf(task)).deliver();
    await restart();
    expect(await get(task.taskId)).toMatchObject({ status: 'paused' });
    await daemon.core.tick();
    await daemon.core.runner.idle(sessionOf(task).sessionId);
    expect(daemon.driver.runs).toEqual([]);
    expect(await sessionOf(task).types()).not.toContain('resumed');
    await daemon.core.tasks.resume(OWNER, task.taskId);
    const run = await runOf(task);
    expect(run.context.attempt).toBe(2);
    run.complete('went on');
    expect(await ended(task.taskId)).toMatchObject({ status: 'completed' });
    expect(await notices()).toHaveLength(1);
  });

  it('T-29 a message lets a paused one go on too, and is seen by it', async () => {
    const task = await launch();
    await (await runOf(task)).deliver();
    await restart();
    await daemon.core.tasks.send(OWNER, task.taskId, 'Hurry.');
    const run = await runOf(task);
    expect((await get(task.taskId)).status).toBe('running');
    const [injected] = await run.context.journal.takeInjected();
    expect(injected?.inputItems).toEqual([{ type: 'text', text: 'Hurry.' }]);
  });

  it('T-29 one that is to resume goes on at once after a crash; one that was being stopped does not come back', async () => {
    const resumed = await launch({ onRestart: 'resume' });
    await (await runOf(resumed)).deliver();
    const stopped = await launch();
    await runOf(stopped);
    daemon.driver.isDeaf = true;
    void daemon.core.tasks.stop(OWNER, stopped.taskId).catch(() => undefined);
    await until('it is being stopped', async () => (await get(stopped.taskId)).stopping);
    await restart();
    expect(await ended(stopped.taskId)).toMatchObject({ status: 'cancelled' });
    expect((await runOf(resumed)).context.attempt).toBe(2);
    expect((await get(resumed.taskId)).status).toBe('running');
    await daemon.core.runner.look();
    const { sessionId } = sessionOf(stopped);
    const taken = daemon.driver.runs.map(({ context }) => context.session.sessionId);
    expect(taken).not.toContain(sessionId);
  });

  it('T-29 one that never had its prompt has failed after a crash, and says so', async () => {
    const transact = daemon.store.transact.bind(daemon.store);
    const written: string[] = [];
    daemon.store.transact = (body, options) => {
      const { lane = '' } = options ?? {};
      const isOwn = !lane.startsWith('session:') || lane === `session:${parent.sessionId}`;
      // Its session is made, and then it is killed.
      if (!isOwn && written.includes(lane)) return new Promise(() => undefined);
      written.push(lane);
      return transact(body, options);
    };
    void launch();
    const made = await until('there is a task', async () => {
      return (await daemon.core.tasks.list(OWNER, { limit: 1 })).tasks[0];
    });
    await restart();
    expect(await ended(made.taskId)).toMatchObject({ status: 'failed', end: { cause: 'crashed' } });
  });

  it('T-30 one that ignores being stopped counts as cancelled after five seconds, and is told of then', async () => {
    const task = await launch();
    await runOf(task);
    daemon.driver.isDeaf = true;
    const stopping = daemon.core.tasks.stop(OWNER, task.taskId);
    await until(
      'it has been told',
      () => daemon.driver.runs[0]?.context.signal.aborted || undefined,
    );
    daemon.timers.advance(4_999);
    // Whatever was to be written by now is written before this.
    for (let count = 0; count < 5; count += 1) {
      await daemon.core.sessions.update(OWNER, parent.sessionId, { title: `now ${String(count)}` });
    }
    expect(await get(task.taskId)).toMatchObject({ status: 'running', stopping: {} });
    expect(await notices()).toEqual([]);
    daemon.timers.advance(1);
    expect(await stopping).toMatchObject({
      status: 'cancelled',
      end: { cause: 'stopped', by: 'human:owner' },
    });
    expect(await notices()).toHaveLength(1);
    await expect(daemon.core.tasks.stop(OWNER, task.taskId)).rejects.toMatchObject({
      code: 'task_not_running',
    });
  });

  it('T-31 two messages at once to a completed one are one run that sees both', async () => {
    const task = await launch();
    const first = await runOf(task);
    await first.deliver();
    first.complete('done');
    await ended(task.taskId);
    await Promise.all([
      daemon.core.tasks.send(OWNER, task.taskId, 'one'),
      daemon.core.tasks.send(OWNER, task.taskId, 'two'),
    ]);
    const { runs } = await daemon.core.runs.list(OWNER, sessionOf(task).sessionId, {
      limit: 10,
    });
    expect(runs).toHaveLength(2);
    const run = await until('it was revived', async () => {
      const last = await runOf(task);
      return last === first ? undefined : last;
    });
    expect(run.texts).toEqual(['one', 'two']);
    expect((await get(task.taskId)).status).toBe('running');
    await run.deliver();
    run.complete('again');
    await until('it has ended again', async () => (await get(task.taskId)).endedAt);
    expect(await notices()).toHaveLength(2);
  });

  it('T-32 what a stopped one asked is withdrawn, and nobody waits for it', async () => {
    const task = await launch();
    const run = await runOf(task);
    const asking = run.context.ask({
      kind: 'tool',
      callId: 'c1',
      tool: 'shell',
      title: 'rm -rf /',
      input: {},
      inputHash: 'a'.repeat(64),
      reason: 'it is asked about',
    });
    asking.catch(() => undefined);
    const approval = await until('it has asked', async () => {
      const { approvals } = await daemon.core.approvals.list(OWNER, { state: 'pending', limit: 1 });
      return approvals[0];
    });
    expect((await get(task.taskId)).pendingApprovals).toBe(1);
    expect(approval.sessionId).toBe(sessionOf(task).sessionId);
    await daemon.core.tasks.stop(OWNER, task.taskId);
    await expect(asking).rejects.toThrow();
    expect((await daemon.core.approvals.get(OWNER, approval.approvalId)).state).toBe('withdrawn');
    expect(await get(task.taskId)).toMatchObject({ status: 'cancelled', pendingApprovals: 0 });
  });

  it('T-33 one whose session has ended, or whose workspace is gone, is shown as blocked, and says why to who sends it something', async () => {
    const gone = await launch();
    await (await runOf(gone)).deliver();
    const kept = await launch();
    await (await runOf(kept)).deliver();
    const scout = await launch({ agentId: 'scout' });
    await (await runOf(scout)).deliver();
    delete agents['scout'];
    await restart();
    expect((await get(scout.taskId)).blockedReason).toContain('its agent scout is gone');
    await expect(daemon.core.tasks.send(OWNER, scout.taskId, 'Go on.')).rejects.toMatchObject({
      code: 'task_takes_no_message',
      message: expect.stringContaining('scout is gone') as string,
    });
    await daemon.core.sessions.end(OWNER, sessionOf(gone).sessionId);
    await until('it is blocked', async () => (await get(gone.taskId)).blockedReason);
    await expect(daemon.core.tasks.send(OWNER, gone.taskId, 'Go on.')).rejects.toMatchObject({
      code: 'task_takes_no_message',
      message: expect.stringContaining('has ended') as string,
    });
    expect(await get(gone.taskId)).toMatchObject({
      status: 'paused',
      blockedReason: expect.stringContaining('has ended') as string,
    });
    await expect(daemon.core.tasks.resume(OWNER, gone.taskId)).rejects.toMatchObject({
      code: 'task_not_resumable',
    });
    isWorkspaceGone = true;
    await expect(daemon.core.tasks.send(OWNER, kept.taskId, 'Go on.')).rejects.toMatchObject({
      message: expect.stringContaining('workspace') as string,
    });
    isWorkspaceGone = false;
    await daemon.core.tasks.send(OWNER, kept.taskId, 'Go on.');
    const back = await get(kept.taskId);
    expect(back.status).toBe('running');
    expect(back).not.toHaveProperty('blockedReason');
  });

  it('T-34 one stops its own commands and hears of their ends; it leaves them to its parent, and its monitors are stopped', async () => {
    const task = await launch();
    const run = await runOf(task);
    const inner = sessionOf(task);
    const begin = (kind: string): Promise<Task> =>
      daemon.core.tasks.create(inner.sessionId, {
        kind,
        description: kind,
        detail: { command: 'make' },
      });
    const [own, failing, left, monitor] = [
      await begin('shell'),
      await begin('shell'),
      await begin('shell'),
      await begin('monitor'),
    ];
    const self = { kind: 'session' as const, id: inner.sessionId, credentialId: 'session' };
    expect((await daemon.core.tasks.stop(self, own.taskId)).status).toBe('cancelled');
    const fails = { status: 'failed', end: { cause: 'exited', exitCode: 1 } } as const;
    await daemon.core.tasks.settle(failing.taskId, fails);
    await run.deliver();
    run.complete('done');
    const second = await until('it hears', async () => {
      const last = await runOf(task);
      return last === run ? undefined : last;
    });
    expect(second.texts.join()).toContain(failing.taskId);
    expect(second.texts.join()).not.toContain(own.taskId);
    await second.deliver();
    second.complete('heard');
    await until('it went to the parent', async () => {
      const { sessionId: owner } = await get(left.taskId);
      return owner === parent.sessionId || undefined;
    });
    expect((await ended(monitor.taskId)).status).toBe('cancelled');
    await daemon.core.tasks.settle(left.taskId, fails);
    expect(await notices()).toHaveLength(2);
  });

  it('T-34 one that has agents of its own that run is not done before it has heard of their ends', async () => {
    const task = await launch();
    const run = await runOf(task);
    const inner = await launch({}, sessionOf(task).sessionId);
    const innerRun = await runOf(inner);
    await run.deliver();
    run.complete('I wait.');
    await sessionOf(task).ended(run.runId);
    expect((await get(task.taskId)).status).toBe('running');
    innerRun.complete('found it');
    const second = await until('it hears', async () => {
      const last = await runOf(task);
      return last === run ? undefined : last;
    });
    expect(second.texts.join()).toContain('found it');
    second.complete('All is done.');
    expect((await ended(task.taskId)).detail['result']).toBe('All is done.');
  });

  it('T-35 one that works gets a message at its next tool boundary; one that failed gets none', async () => {
    const task = await launch();
    const run = await runOf(task);
    await run.deliver();
    await daemon.core.tasks.send(self(), task.taskId, 'Look left.');
    const [injected] = await run.context.journal.takeInjected();
    expect(injected).toMatchObject({ from: 'system', appliedRule: 'inject' });
    run.end({
      type: 'failed',
      failure: { phase: 'agent', code: 'model_error', message: 'no model' },
    });
    expect(await ended(task.taskId)).toMatchObject({
      status: 'failed',
      end: { cause: 'run_failed', message: 'no model (model_error)' },
    });
    await expect(daemon.core.tasks.send(OWNER, task.taskId, 'Again.')).rejects.toMatchObject({
      code: 'task_takes_no_message',
      message: expect.stringContaining('failed') as string,
    });
    await expect(
      daemon.core.tasks.send(OWNER, task.taskId, 'x'.repeat(65_537)),
    ).rejects.toMatchObject({
      code: 'invalid_request',
    });
  });

  it('one whose run a person cancels is cancelled; what comes too late for its run is a run of its own', async () => {
    const task = await launch();
    const run = await runOf(task);
    await run.deliver();
    await daemon.core.tasks.send(OWNER, task.taskId, 'Wait.');
    run.complete('done');
    const second = await until('it goes on', async () => {
      const last = await runOf(task);
      return last === run ? undefined : last;
    });
    expect((await get(task.taskId)).status).toBe('running');
    await daemon.core.runs.cancel(OWNER, second.runId);
    expect(await ended(task.taskId)).toMatchObject({ status: 'cancelled' });
    expect(await notices()).toHaveLength(1);
  });

  it('of more than 32 that have ended the oldest go, and their sessions with them', async () => {
    const all: Task[] = [];
    for (let count = 0; count < 34; count += 1) {
      const task = await launch({ isForeground: true });
      all.push(task);
      (await runOf(task)).complete('done');
      await ended(task.taskId);
      world.clock.move(1);
    }
    const [first] = all;
    if (!first) throw new Error('none');
    await expect(get(first.taskId)).rejects.toMatchObject({ code: 'task_not_found' });
    await until('its session has ended', async () => {
      const { status } = await daemon.core.sessions.get(OWNER, sessionOf(first).sessionId);
      return status === 'ended' || undefined;
    });
  });

  it('an agent that is not there is refused, and leaves nothing', async () => {
    await expect(launch({ agentId: 'nobody' })).rejects.toMatchObject({ code: 'unknown_agent' });
    expect((await daemon.core.tasks.list(OWNER, { limit: 10 })).tasks).toEqual([]);
  });
});
