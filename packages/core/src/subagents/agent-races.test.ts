import type { Task } from '@stoa/protocol';
import { OWNER, STORE_ENGINES, type StoreEngine, until } from '@stoa/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AgentFixture } from './agent-stage.fixture.js';

const SQLITE = STORE_ENGINES.find(({ name }) => name === 'sqlite') as StoreEngine;

describe('an agent', () => {
  let stage: AgentFixture;

  beforeEach(async () => {
    stage = await AgentFixture.open(SQLITE);
  });
  afterEach(async () => {
    await stage.world.discard();
  });

  it('T-29 that was cancelled in the queue does not start, even if its daemon was killed before its session ended', async () => {
    for (let count = 0; count < 10; count += 1) await stage.launch();
    const waiting = await stage.launch();
    expect(waiting.status).toBe('queued');
    const worksIn = stage.sessionOf(waiting).sessionId;
    const { store } = stage.daemon;
    const transact = store.transact.bind(store);
    // The daemon is killed after it has committed the end of the task.
    store.transact = (body, options) =>
      options?.lane === `session:${worksIn}`
        ? new Promise(() => undefined)
        : transact(body, options);
    await stage.daemon.core.tasks.stop(OWNER, waiting.taskId);
    store.transact = transact;
    await stage.daemon.abandon();
    // A daemon that has not recovered its tasks, or another one on the same database.
    stage.daemon = await stage.world.start({ location: 'elsewhere' });
    await stage.daemon.core.runner.poll();
    await stage.daemon.core.runner.idle(worksIn);
    expect(stage.runsOf(waiting)).toEqual([]);
    await stage.restart();
    expect((await stage.daemon.core.sessions.get(OWNER, worksIn)).status).toBe('ended');
  });

  it('T-28 that is queued and blocked does not delay those behind it', async () => {
    const running = [];
    for (let count = 0; count < 10; count += 1) running.push(await stage.launch());
    stage.world.clock.move(1);
    const blocked = await stage.launch();
    stage.world.clock.move(1);
    const behind = await stage.launch();
    stage.isWorkspaceGone = true;
    const sent = stage.daemon.core.tasks.send(OWNER, blocked.taskId, 'Hurry.');
    await expect(sent).rejects.toMatchObject({ code: 'task_takes_no_message' });
    stage.isWorkspaceGone = false;
    for (const task of running.slice(0, 2)) (await stage.runOf(task)).complete('done');
    expect((await stage.runOf(blocked)).texts).toEqual(['Look around.']);
    await stage.runOf(behind);
    expect(await stage.get(blocked.taskId)).not.toHaveProperty('blockedReason');
  });

  it('T-33 that was blocked can be resumed when the reason is gone', async () => {
    const task = await stage.launch();
    await (await stage.runOf(task)).deliver();
    stage.isWorkspaceGone = true;
    await stage.restart();
    expect((await stage.get(task.taskId)).blockedReason).toContain('workspace');
    const resume = () => stage.daemon.core.tasks.resume(OWNER, task.taskId);
    await expect(resume()).rejects.toMatchObject({ code: 'task_not_resumable' });
    stage.isWorkspaceGone = false;
    expect(await resume()).toMatchObject({ status: 'running' });
    expect((await stage.runOf(task)).context.attempt).toBe(2);
  });

  it('T-36 in the foreground does not start for a run that was cancelled in the meantime', async () => {
    await stage.parent.submit('Begin.');
    const caller = await stage.daemon.driver.nth(1);
    const { runId } = caller;
    const launching = stage.launch({ isForeground: true, runId });
    await stage.daemon.core.runs.cancel(OWNER, runId);
    // Either the launch was refused, or the agent is stopped with its run.
    const refused = await launching.then(
      () => false,
      (error: unknown) => (error as { code: string }).code === 'run_ended',
    );
    if (!refused) await stage.ended((await launching).taskId);
    const late = stage.launch({ isForeground: true, runId });
    await expect(late).rejects.toMatchObject({ code: 'run_ended' });
    const { tasks } = await stage.daemon.core.tasks.list(OWNER, { status: 'running', limit: 9 });
    expect(tasks).toEqual([]);
    await until('its sessions have ended', async () => {
      const { sessions } = await stage.daemon.core.sessions.list(OWNER, {
        ended: 'include',
        limit: 9,
      });
      return sessions.every(
        ({ parentSessionId, status }) => parentSessionId === undefined || status === 'ended',
      );
    });
  });

  it('T-36 in the foreground is stopped when another daemon cancels the run that waits for it', async () => {
    await stage.parent.submit('Begin.');
    const { runId } = await stage.daemon.driver.nth(1);
    const task = await stage.launch({ isForeground: true, runId });
    const run = await stage.runOf(task);
    await stage.daemon.core.tasks.tick();
    const { subAgents } = stage.daemon.core;
    const runCancelled = subAgents.runCancelled.bind(subAgents);
    // Commits of another daemon cause no event here.
    subAgents.runCancelled = () => undefined;
    await stage.daemon.core.runs.cancel(OWNER, runId);
    subAgents.runCancelled = runCancelled;
    expect((await stage.get(task.taskId)).status).toBe('running');
    await stage.daemon.core.tasks.tick();
    expect((await stage.ended(task.taskId)).status).toBe('cancelled');
    expect(run.context.signal.aborted).toBe(true);
  });

  it('T-29 in the foreground is paused in the background after a crash, and sends a notice when it ends', async () => {
    await stage.parent.submit('Begin.');
    const { runId } = await stage.daemon.driver.nth(1);
    const task = await stage.launch({ isForeground: true, runId });
    await (await stage.runOf(task)).deliver();
    await stage.restart();
    expect(await stage.get(task.taskId)).toMatchObject({
      status: 'paused',
      isForeground: false,
      notice: 'due',
    });
    // The resumed run no longer stops the agent when it ends.
    await stage.daemon.core.runner.poll();
    const caller = await until('it goes on', () =>
      stage.daemon.driver.runs.find(({ context }) => context.runId === runId),
    );
    caller.complete('I do not know.');
    await stage.parent.ended(runId);
    expect((await stage.get(task.taskId)).status).toBe('paused');
    await stage.daemon.core.tasks.send(OWNER, task.taskId, 'Go on.');
    const run = await stage.runOf(task);
    await run.context.journal.takeInjected();
    run.complete('There is a cat.');
    expect(await stage.ended(task.taskId)).toMatchObject({ status: 'completed', notice: 'sent' });
    expect((await stage.notices()).join()).toContain('There is a cat.');
  });

  it('T-36 sends a notice if a crash lost the result of the call that waited for it', async () => {
    await stage.parent.submit('Begin.');
    const caller = await stage.daemon.driver.nth(1);
    const { runId } = caller;
    const { journal } = caller.context;
    const launch = async (callId: string): Promise<Task> => {
      const call = { callId, tool: 'agent', kind: 'other', title: 'x' } as const;
      await journal.toolCall({ ...call, input: {}, inputHash: 'h' });
      const task = await stage.launch({ isForeground: true, runId, callId });
      (await stage.runOf(task)).complete(`There is a cat in ${callId}.`);
      await stage.ended(task.taskId);
      return task;
    };
    await launch('answered');
    await journal.toolResult({
      callId: 'answered',
      tool: 'agent',
      outcome: 'ok',
      output: 'A cat.',
    });
    const lost = await launch('lost');
    await stage.restart();
    await stage.daemon.core.runner.poll();
    await until('the notice is sent', async () => (await stage.get(lost.taskId)).notice === 'sent');
    expect(await stage.notices()).toEqual([expect.stringContaining('There is a cat in lost.')]);
  });

  it('T-35 that is being stopped refuses a message, even if it ran when the message was sent', async () => {
    const task = await stage.launch();
    await stage.runOf(task);
    stage.daemon.driver.isDeaf = true;
    const stopping = stage.daemon.core.tasks.stop(OWNER, task.taskId);
    await until('it is being stopped', async () => (await stage.get(task.taskId)).stopping);
    const sent = stage.daemon.core.subAgents.send(task, { text: 'Wait.', from: 'human:owner' });
    await expect(sent).rejects.toMatchObject({ code: 'task_takes_no_message' });
    let isGone = false;
    void stopping.then(() => (isGone = true));
    await until('it was given time', () => {
      stage.daemon.timers.advance(5_000);
      return isGone;
    });
  });

  it('T-34 has at most the mode of its parent, and is refused if its rules exceed those of its parent', async () => {
    const { sessions, tasks } = stage.daemon.core;
    const helper = stage.agents['helper'];
    if (!helper) throw new Error('there is no helper');
    stage.agents['bold'] = { ...helper, mode: 'full' };
    stage.agents['sly'] = { ...helper, permissions: { allow: ['Shell(rm *)'] } };
    const plan = (await sessions.create(OWNER, { agentId: 'helper', mode: 'plan' })).sessionId;
    const modeOf = async (change: Parameters<AgentFixture['launch']>[0]): Promise<string> => {
      const { sessionId } = stage.sessionOf(await stage.launch(change, plan));
      return (await sessions.get(OWNER, sessionId)).mode;
    };
    expect([await modeOf({}), await modeOf({ agentId: 'bold' })]).toEqual(['plan', 'plan']);
    const before = (await sessions.list(OWNER, { ended: 'include', limit: 50 })).sessions.length;
    await expect(stage.launch({ agentId: 'sly' }, plan)).rejects.toMatchObject({
      code: 'authority_exceeded',
    });
    expect((await tasks.list(OWNER, { limit: 10 })).tasks).toHaveLength(2);
    expect((await sessions.list(OWNER, { ended: 'include', limit: 50 })).sessions).toHaveLength(
      before,
    );
  });
});
