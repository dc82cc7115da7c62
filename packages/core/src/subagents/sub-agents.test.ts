import type { Principal, Task } from '@stoa/protocol';
import { OWNER, STORE_ENGINES, until } from '@stoa/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AgentFixture } from './agent-stage.fixture.js';

describe('agents as background tasks', () => {
  let stage: AgentFixture;

  beforeEach(async () => {
    const [engine] = STORE_ENGINES;
    if (!engine) throw new Error('there is no engine');
    stage = await AgentFixture.open(engine);
  });
  afterEach(async () => {
    await stage.world.discard();
  });

  const self = (): Principal => ({
    kind: 'session',
    id: stage.parent.sessionId,
    credentialId: 'session',
  });

  it('T-36 the end of a background agent is reported by one notice with its result, usage and transcript', async () => {
    const task = await stage.launch();
    expect(task).toMatchObject({
      kind: 'agent',
      status: 'running',
      sessionId: stage.parent.sessionId,
    });
    const run = await stage.runOf(task);
    expect(run.texts).toEqual(['Look around.']);
    expect(run.context.session.parentSessionId).toBe(stage.parent.sessionId);
    await run.deliver();
    run.complete('There is a cat.');
    const done = await stage.ended(task.taskId);
    expect(done).toMatchObject({ status: 'completed', notice: 'sent' });
    const notices = await stage.notices();
    expect(notices).toHaveLength(1);
    expect(notices[0]).toContain('There is a cat.');
    expect(notices[0]).toContain('Usage: 0 model calls');
    expect(notices[0]).toContain(`/tasks/${stage.parent.sessionId}/agent-${task.taskId}.jsonl`);
    const types = await stage.sessionOf(task).types();
    expect(types.at(-1)).toBe('completed');
  });

  it('T-36 a foreground agent is listed while it runs, answers with its whole output, and sends no notice', async () => {
    const task = await stage.launch({ isForeground: true });
    const listed = await stage.daemon.core.tasks.list(OWNER, { limit: 10 });
    expect(listed.tasks).toMatchObject([{ taskId: task.taskId, isForeground: true }]);
    const waiting = stage.daemon.core.subAgents.finished(task.taskId, new AbortController().signal);
    const run = await stage.runOf(task);
    await run.deliver();
    const output = 'x'.repeat(10_000);
    run.complete(output);
    const done = await waiting;
    expect(done.status).toBe('completed');
    expect(await stage.daemon.core.subAgents.resultOf(done)).toBe(output);
    expect(await stage.notices()).toEqual([]);
  });

  it('T-36 a foreground agent needs no slot, and is stopped with the run that waits for it', async () => {
    await stage.parent.submit('Begin.');
    const caller = await stage.daemon.driver.nth(1);
    for (let count = 0; count < 10; count += 1) await stage.launch();
    const { runId } = caller;
    const task = await stage.launch({ isForeground: true, runId });
    expect(task.status).toBe('running');
    const run = await stage.runOf(task);
    await stage.daemon.core.runs.cancel(OWNER, runId);
    expect(await stage.ended(task.taskId)).toMatchObject({ status: 'cancelled' });
    expect(run.context.signal.aborted).toBe(true);
  });

  it('a foreground agent that was sent to the background sends a notice when it ends', async () => {
    const task = await stage.launch({ isForeground: true });
    const waiting = stage.daemon.core.subAgents.finished(task.taskId, new AbortController().signal);
    await stage.runOf(task);
    await stage.daemon.core.tasks.promote(OWNER, stage.parent.sessionId);
    expect(await waiting).toMatchObject({ status: 'running', isForeground: false });
    (await stage.runOf(task)).complete('done');
    await stage.ended(task.taskId);
    expect(await stage.notices()).toHaveLength(1);
  });

  it('T-28 the eleventh agent is queued, queued agents start in order, and one that is cancelled there takes no slot', async () => {
    const running: Task[] = [];
    for (let count = 0; count < 10; count += 1) running.push(await stage.launch());
    const waiting: Task[] = [];
    for (let count = 0; count < 3; count += 1) {
      waiting.push(await stage.launch());
      stage.world.clock.move(1);
    }
    const [eleventh, twelfth, thirteenth] = waiting as [Task, Task, Task];
    expect(waiting.map(({ status }) => status)).toEqual(Array(3).fill('queued'));
    for (const task of running) await stage.runOf(task);
    await stage.daemon.core.runner.poll();
    expect(stage.daemon.driver.runs).toHaveLength(10);
    await stage.daemon.core.tasks.stop(OWNER, eleventh.taskId);
    expect(await stage.get(eleventh.taskId)).toMatchObject({ status: 'cancelled' });
    const [first] = running;
    if (!first) throw new Error('none runs');
    (await stage.runOf(first)).complete('one');
    const run = await stage.runOf(twelfth);
    expect(run.texts).toEqual(['Look around.']);
    expect((await stage.get(thirteenth.taskId)).status).toBe('queued');
    expect(
      (await stage.daemon.core.tasks.list(OWNER, { status: 'running', limit: 50 })).tasks,
    ).toHaveLength(10);
    await until('its session has ended', async () => {
      const { status } = await stage.daemon.core.sessions.get(
        OWNER,
        stage.sessionOf(eleventh).sessionId,
      );
      return status === 'ended' || undefined;
    });
  });

  it('T-29 a crash pauses a running agent; its run does not resume before the agent is resumed', async () => {
    const task = await stage.launch();
    await (await stage.runOf(task)).deliver();
    await stage.restart();
    expect(await stage.get(task.taskId)).toMatchObject({ status: 'paused' });
    await stage.daemon.core.tick();
    await stage.daemon.core.runner.idle(stage.sessionOf(task).sessionId);
    expect(stage.daemon.driver.runs).toEqual([]);
    expect(await stage.sessionOf(task).types()).not.toContain('resumed');
    await stage.daemon.core.tasks.resume(OWNER, task.taskId);
    const run = await stage.runOf(task);
    expect(run.context.attempt).toBe(2);
    run.complete('went on');
    expect(await stage.ended(task.taskId)).toMatchObject({ status: 'completed' });
    expect(await stage.notices()).toHaveLength(1);
  });

  it('T-29 a message continues a paused agent, which reads it', async () => {
    const task = await stage.launch();
    await (await stage.runOf(task)).deliver();
    await stage.restart();
    await stage.daemon.core.tasks.send(OWNER, task.taskId, 'Hurry.');
    const run = await stage.runOf(task);
    expect((await stage.get(task.taskId)).status).toBe('running');
    const [injected] = await run.context.journal.takeInjected();
    expect(injected?.inputItems).toEqual([{ type: 'text', text: 'Hurry.' }]);
  });

  it('T-29 after a crash an agent with onRestart resume continues at once, and one that was being stopped does not', async () => {
    const resumed = await stage.launch({ onRestart: 'resume' });
    await (await stage.runOf(resumed)).deliver();
    const stopped = await stage.launch();
    await stage.runOf(stopped);
    stage.daemon.driver.isDeaf = true;
    void stage.daemon.core.tasks.stop(OWNER, stopped.taskId).catch(() => undefined);
    await until('it is being stopped', async () => (await stage.get(stopped.taskId)).stopping);
    await stage.restart();
    expect(await stage.ended(stopped.taskId)).toMatchObject({ status: 'cancelled' });
    expect((await stage.runOf(resumed)).context.attempt).toBe(2);
    expect((await stage.get(resumed.taskId)).status).toBe('running');
    await stage.daemon.core.runner.poll();
    const { sessionId } = stage.sessionOf(stopped);
    const taken = stage.daemon.driver.runs.map(({ context }) => context.session.sessionId);
    expect(taken).not.toContain(sessionId);
  });

  it('T-29 an agent without a prompt fails after a crash', async () => {
    const transact = stage.daemon.store.transact.bind(stage.daemon.store);
    const written: string[] = [];
    stage.daemon.store.transact = (body, options) => {
      const { lane = '' } = options ?? {};
      const isOwn = !lane.startsWith('session:') || lane === `session:${stage.parent.sessionId}`;
      // The daemon is killed after it has created the session.
      if (!isOwn && written.includes(lane)) return new Promise(() => undefined);
      written.push(lane);
      return transact(body, options);
    };
    void stage.launch();
    const created = await until('there is a task', async () => {
      return (await stage.daemon.core.tasks.list(OWNER, { limit: 1 })).tasks[0];
    });
    await stage.restart();
    expect(await stage.ended(created.taskId)).toMatchObject({
      status: 'failed',
      end: { cause: 'crashed' },
    });
  });

  it('T-30 an agent that does not stop is cancelled after five seconds, and its notice is sent then', async () => {
    const task = await stage.launch();
    await stage.runOf(task);
    stage.daemon.driver.isDeaf = true;
    const stopping = stage.daemon.core.tasks.stop(OWNER, task.taskId);
    await until(
      'its run is aborted',
      () => stage.daemon.driver.runs[0]?.context.signal.aborted || undefined,
    );
    stage.daemon.timers.advance(4_999);
    // Earlier writes are committed before these.
    for (let count = 0; count < 5; count += 1) {
      await stage.daemon.core.sessions.update(OWNER, stage.parent.sessionId, {
        title: `now ${String(count)}`,
      });
    }
    expect(await stage.get(task.taskId)).toMatchObject({ status: 'running', stopping: {} });
    expect(await stage.notices()).toEqual([]);
    stage.daemon.timers.advance(1);
    expect(await stopping).toMatchObject({
      status: 'cancelled',
      end: { cause: 'stopped', by: 'human:owner' },
    });
    expect(await stage.notices()).toHaveLength(1);
    await expect(stage.daemon.core.tasks.stop(OWNER, task.taskId)).rejects.toMatchObject({
      code: 'task_not_running',
    });
  });

  it('T-31 two concurrent messages to a completed agent start one run that reads both', async () => {
    const task = await stage.launch();
    const first = await stage.runOf(task);
    await first.deliver();
    first.complete('done');
    await stage.ended(task.taskId);
    await Promise.all([
      stage.daemon.core.tasks.send(OWNER, task.taskId, 'one'),
      stage.daemon.core.tasks.send(OWNER, task.taskId, 'two'),
    ]);
    const { runs } = await stage.daemon.core.runs.list(OWNER, stage.sessionOf(task).sessionId, {
      limit: 10,
    });
    expect(runs).toHaveLength(2);
    const run = await until('it was revived', async () => {
      const last = await stage.runOf(task);
      return last === first ? undefined : last;
    });
    expect(run.texts).toEqual(['one', 'two']);
    expect((await stage.get(task.taskId)).status).toBe('running');
    await run.deliver();
    run.complete('again');
    await until('it has ended again', async () => (await stage.get(task.taskId)).endedAt);
    expect(await stage.notices()).toHaveLength(2);
  });

  it('T-32 stopping an agent withdraws its approvals', async () => {
    const task = await stage.launch();
    const run = await stage.runOf(task);
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
      const { approvals } = await stage.daemon.core.approvals.list(OWNER, {
        state: 'pending',
        limit: 1,
      });
      return approvals[0];
    });
    expect((await stage.get(task.taskId)).pendingApprovals).toBe(1);
    expect(approval.sessionId).toBe(stage.sessionOf(task).sessionId);
    await stage.daemon.core.tasks.stop(OWNER, task.taskId);
    await expect(asking).rejects.toThrow();
    expect((await stage.daemon.core.approvals.get(OWNER, approval.approvalId)).state).toBe(
      'withdrawn',
    );
    expect(await stage.get(task.taskId)).toMatchObject({
      status: 'cancelled',
      pendingApprovals: 0,
    });
  });

  it('T-33 an agent whose session, workspace or definition is gone is blocked, and refuses messages with the reason', async () => {
    const gone = await stage.launch();
    await (await stage.runOf(gone)).deliver();
    const kept = await stage.launch();
    await (await stage.runOf(kept)).deliver();
    const scout = await stage.launch({ agentId: 'scout' });
    await (await stage.runOf(scout)).deliver();
    delete stage.agents['scout'];
    await stage.restart();
    expect((await stage.get(scout.taskId)).blockedReason).toContain('its agent scout is gone');
    await expect(stage.daemon.core.tasks.send(OWNER, scout.taskId, 'Go on.')).rejects.toMatchObject(
      {
        code: 'task_takes_no_message',
        message: expect.stringContaining('scout is gone') as string,
      },
    );
    await stage.daemon.core.sessions.end(OWNER, stage.sessionOf(gone).sessionId);
    await until('it is blocked', async () => (await stage.get(gone.taskId)).blockedReason);
    await expect(stage.daemon.core.tasks.send(OWNER, gone.taskId, 'Go on.')).rejects.toMatchObject({
      code: 'task_takes_no_message',
      message: expect.stringContaining('has ended') as string,
    });
    expect(await stage.get(gone.taskId)).toMatchObject({
      status: 'paused',
      blockedReason: expect.stringContaining('has ended') as string,
    });
    await expect(stage.daemon.core.tasks.resume(OWNER, gone.taskId)).rejects.toMatchObject({
      code: 'task_not_resumable',
    });
    stage.isWorkspaceGone = true;
    await expect(stage.daemon.core.tasks.send(OWNER, kept.taskId, 'Go on.')).rejects.toMatchObject({
      message: expect.stringContaining('workspace') as string,
    });
    stage.isWorkspaceGone = false;
    await stage.daemon.core.tasks.send(OWNER, kept.taskId, 'Go on.');
    const back = await stage.get(kept.taskId);
    expect(back.status).toBe('running');
    expect(back).not.toHaveProperty('blockedReason');
  });

  it('T-34 an agent gets notices of its own commands; when it ends, they go to its parent and its monitors are stopped', async () => {
    const task = await stage.launch();
    const run = await stage.runOf(task);
    const inner = stage.sessionOf(task);
    const begin = (kind: string): Promise<Task> =>
      stage.daemon.core.tasks.create(inner.sessionId, {
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
    expect((await stage.daemon.core.tasks.stop(self, own.taskId)).status).toBe('cancelled');
    const fails = { status: 'failed', end: { cause: 'exited', exitCode: 1 } } as const;
    await stage.daemon.core.tasks.settle(failing.taskId, fails);
    await run.deliver();
    run.complete('done');
    const second = await until('it gets the notice', async () => {
      const last = await stage.runOf(task);
      return last === run ? undefined : last;
    });
    expect(second.texts.join()).toContain(failing.taskId);
    expect(second.texts.join()).not.toContain(own.taskId);
    await second.deliver();
    second.complete('done too');
    await until('it went to the parent', async () => {
      const { sessionId: owner } = await stage.get(left.taskId);
      return owner === stage.parent.sessionId || undefined;
    });
    expect((await stage.ended(monitor.taskId)).status).toBe('cancelled');
    await stage.daemon.core.tasks.settle(left.taskId, fails);
    expect(await stage.notices()).toHaveLength(2);
  });

  it('T-34 an agent is not done before it got the notices of its own running agents', async () => {
    const task = await stage.launch();
    const run = await stage.runOf(task);
    const inner = await stage.launch({}, stage.sessionOf(task).sessionId);
    const innerRun = await stage.runOf(inner);
    await run.deliver();
    run.complete('I wait.');
    await stage.sessionOf(task).ended(run.runId);
    expect((await stage.get(task.taskId)).status).toBe('running');
    innerRun.complete('found it');
    const second = await until('it gets the notice', async () => {
      const last = await stage.runOf(task);
      return last === run ? undefined : last;
    });
    expect(second.texts.join()).toContain('found it');
    second.complete('All is done.');
    expect((await stage.ended(task.taskId)).detail['result']).toBe('All is done.');
  });

  it('T-35 a running agent gets a message at its next tool boundary; a failed one refuses it', async () => {
    const task = await stage.launch();
    const run = await stage.runOf(task);
    await run.deliver();
    await stage.daemon.core.tasks.send(self(), task.taskId, 'Look left.');
    const [injected] = await run.context.journal.takeInjected();
    expect(injected).toMatchObject({ from: 'system', appliedRule: 'inject' });
    run.end({
      type: 'failed',
      failure: { phase: 'agent', code: 'model_error', message: 'no model' },
    });
    expect(await stage.ended(task.taskId)).toMatchObject({
      status: 'failed',
      end: { cause: 'run_failed', message: 'no model (model_error)' },
    });
    await expect(stage.daemon.core.tasks.send(OWNER, task.taskId, 'Again.')).rejects.toMatchObject({
      code: 'task_takes_no_message',
      message: expect.stringContaining('failed') as string,
    });
    await expect(
      stage.daemon.core.tasks.send(OWNER, task.taskId, 'x'.repeat(65_537)),
    ).rejects.toMatchObject({
      code: 'invalid_request',
    });
  });

  it('a message that is too late for its run gets a run of its own; an agent is cancelled with its run', async () => {
    const task = await stage.launch();
    const run = await stage.runOf(task);
    await run.deliver();
    await stage.daemon.core.tasks.send(OWNER, task.taskId, 'Wait.');
    run.complete('done');
    const second = await until('it goes on', async () => {
      const last = await stage.runOf(task);
      return last === run ? undefined : last;
    });
    expect((await stage.get(task.taskId)).status).toBe('running');
    await stage.daemon.core.runs.cancel(OWNER, second.runId);
    expect(await stage.ended(task.taskId)).toMatchObject({ status: 'cancelled' });
    expect(await stage.notices()).toHaveLength(1);
  });

  it('of more than 32 ended agents the oldest are evicted, and their sessions end', async () => {
    const all: Task[] = [];
    for (let count = 0; count < 34; count += 1) {
      const task = await stage.launch({ isForeground: true });
      all.push(task);
      (await stage.runOf(task)).complete('done');
      await stage.ended(task.taskId);
      stage.world.clock.move(1);
    }
    const [first] = all;
    if (!first) throw new Error('none');
    await expect(stage.get(first.taskId)).rejects.toMatchObject({ code: 'task_not_found' });
    await until('its session has ended', async () => {
      const { status } = await stage.daemon.core.sessions.get(
        OWNER,
        stage.sessionOf(first).sessionId,
      );
      return status === 'ended' || undefined;
    });
  });

  it('an unknown agent is refused and leaves no task', async () => {
    await expect(stage.launch({ agentId: 'nobody' })).rejects.toMatchObject({
      code: 'unknown_agent',
    });
    expect((await stage.daemon.core.tasks.list(OWNER, { limit: 10 })).tasks).toEqual([]);
  });
});
