import { LIMITS } from '@stoa/protocol';
import { AgentSession, OWNER, until } from '@stoa/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { factoriesOf, TaskStage, textOf } from './task-stage.fixture.js';

describe('a daemon that starts', () => {
  let stage: TaskStage;
  let sessionId: string;

  beforeEach(async () => {
    ({ stage, sessionId } = await TaskStage.withSession());
  });
  afterEach(() => stage.discardSound());

  it('reattaches the shells that ran, and pauses the agents', async () => {
    const shell = await stage.begin(sessionId);
    const ended = await stage.begin(sessionId);
    await stage.settle(ended.taskId);
    const agent = await stage.begin(sessionId, 'agent', { isForeground: true });
    const detail = { agentId: 'helper', onRestart: 'resume' };
    const resumed = await stage.begin(sessionId, 'agent', { detail });
    await stage.restart();
    expect(stage.executor('shell').reattached).toEqual([shell.taskId]);
    expect(await stage.get(agent.taskId)).toMatchObject({
      status: 'paused',
      isForeground: false,
      notice: 'due',
    });
    expect(stage.executor('agent').reattached).toEqual([resumed.taskId]);
    expect(await stage.statusOf(ended.taskId)).toBe('completed');
    expect(await stage.notices(sessionId)).toHaveLength(1);
  });

  it('marks a task that cannot be reattached as lost, with the reason', async () => {
    const unknown = await stage.begin(sessionId, 'monitor');
    const broken = await stage.begin(sessionId);
    stage.executor('shell').whenReattached = () => Promise.reject(new Error('its files are gone'));
    const rest = [...stage.executors].filter(([kind]) => kind !== 'monitor');
    await stage.restart({ taskExecutors: factoriesOf(rest) });
    expect(await stage.get(unknown.taskId)).toMatchObject({
      status: 'lost',
      end: { cause: 'no_executor', message: expect.stringContaining('monitor') as string },
    });
    expect(await stage.get(broken.taskId)).toMatchObject({
      status: 'lost',
      end: { cause: 'outcome_unknown', message: 'its files are gone' },
    });
    const notices = (await stage.notices(sessionId)).map(textOf);
    expect(notices).toHaveLength(2);
    expect(notices.some((text) => text.includes('its files are gone'))).toBe(true);
  });

  it('T-29 stops a task that was being stopped when the last daemon ended, and does not reattach it', async () => {
    const { taskId } = await stage.begin(sessionId, 'agent');
    const agent = stage.executor('agent');
    agent.whileStopping = () => new Promise(() => undefined);
    void stage.tasks.stop(OWNER, taskId);
    await until('it is being stopped', () => agent.stopped.length === 1);
    agent.whileStopping = () => Promise.resolve();
    await stage.restart();
    expect(await stage.get(taskId)).toMatchObject({
      status: 'cancelled',
      end: { by: 'human:owner' },
    });
    expect([agent.reattached, agent.resumed]).toEqual([[], []]);
    expect(await stage.notices(sessionId)).toHaveLength(1);
  });

  it('does not touch tasks of another location, and refuses requests for them', async () => {
    const { taskId } = await stage.begin(sessionId);
    await stage.restart({ location: 'elsewhere' });
    expect(await stage.statusOf(taskId)).toBe('running');
    expect(stage.executor('shell').reattached).toEqual([]);
    const asked = stage.tasks.output(OWNER, taskId, { offset: 0, limit: 9 });
    await expect(asked).rejects.toMatchObject({ code: 'task_elsewhere' });
    // The daemon of that location stops it.
    expect(await stage.tasks.stop(OWNER, taskId)).toMatchObject({
      status: 'running',
      stopping: { by: 'human:owner' },
    });
    await stage.restart();
    expect(await stage.statusOf(taskId)).toBe('cancelled');
  });

  it('marks a task of another location to be stopped only once', async () => {
    const child = await stage.session(sessionId);
    const { taskId } = await stage.begin(child, 'monitor');
    await stage.restart({ location: 'elsewhere' });
    await stage.daemon.core.sessions.end(OWNER, child);
    await until('it is marked', async () => (await stage.get(taskId)).stopping);
    const session = AgentSession.of(stage.daemon, child);
    const before = await session.events();
    await stage.tasks.tick();
    await stage.tasks.tick();
    expect(await session.events()).toEqual(before);
    await stage.restart();
    expect(await stage.statusOf(taskId)).toBe('cancelled');
  });

  it('hands over the tasks of sessions that ended when no daemon ran', async () => {
    const child = await stage.session(sessionId);
    const settled = await stage.begin(child);
    await stage.daemon.core.inbox.submit(OWNER, child, { text: 'x', rule: 'followup' });
    await stage.daemon.driver.nth(1);
    // The child gets the notice and ends before it reads it.
    await stage.settle(settled.taskId);
    const running = await stage.begin(child);
    await stage.endAlone(child);
    expect((await stage.get(running.taskId)).sessionId).toBe(child);
    await stage.restart();
    expect((await stage.get(running.taskId)).sessionId).toBe(sessionId);
    expect((await stage.get(settled.taskId)).sessionId).toBe(sessionId);
    const notices = await stage.notices(sessionId);
    expect(notices.map(({ metadata }) => metadata['taskId'])).toEqual([settled.taskId]);
    // The session above ends too, and no session is left.
    await stage.daemon.core.sessions.end(OWNER, sessionId);
    await until(
      'it is stopped',
      async () => (await stage.statusOf(running.taskId)) === 'cancelled',
    );
  });

  it.each(['shell', 'agent', 'monitor'])(
    'sends the notice of a %s to the session above if its session ended before it read it',
    async (kind) => {
      const child = await stage.session(sessionId);
      const { taskId } = await stage.begin(child, kind);
      await stage.daemon.core.inbox.submit(OWNER, child, { text: 'x', rule: 'followup' });
      await stage.daemon.driver.nth(1);
      await stage.settle(taskId);
      await stage.endAlone(child);
      expect(await stage.notices(sessionId)).toEqual([]);
      await stage.restart();
      const notices = await stage.notices(sessionId);
      expect(notices.map(({ metadata }) => metadata['taskId'])).toEqual([taskId]);
      await stage.tasks.tick();
      expect(await stage.notices(sessionId)).toHaveLength(1);
      expect((await stage.get(taskId)).notice).toBe('sent');
    },
  );

  it.each(['shell', 'agent', 'monitor'])(
    'sends the notice of a %s to the nearest session above that has not ended',
    async (kind) => {
      const parent = await stage.session(sessionId);
      const child = await stage.session(parent);
      const { taskId } = await stage.begin(child, kind);
      for (const [index, id] of [sessionId, parent, child].entries()) {
        await stage.daemon.core.inbox.submit(OWNER, id, { text: 'x', rule: 'followup' });
        await stage.daemon.driver.nth(index + 1);
      }
      await stage.settle(taskId);
      for (const [ending, heir] of [
        [child, parent],
        [parent, sessionId],
      ] as const) {
        await stage.daemon.core.sessions.end(OWNER, ending);
        await until(`${heir} has the notice`, async () => (await stage.notices(heir)).length > 0);
        expect(await stage.get(taskId)).toMatchObject({ sessionId: heir, startedIn: child });
      }
      await stage.tasks.tick();
      const ids = (await stage.notices(sessionId)).map(({ metadata }) => metadata['taskId']);
      expect(ids).toEqual([taskId]);
    },
  );

  it('moves a task that ends after its session to the session that gets the notice', async () => {
    const parent = await stage.session(sessionId);
    const child = await stage.session(parent);
    const { taskId } = await stage.begin(child);
    await stage.daemon.core.inbox.submit(OWNER, parent, { text: 'x', rule: 'followup' });
    await stage.daemon.driver.nth(1);
    await stage.endAlone(child);
    expect(await stage.settle(taskId)).toMatchObject({ notice: 'sent', sessionId: parent });
    expect((await stage.get(taskId)).sessionId).toBe(parent);
    await stage.daemon.core.sessions.end(OWNER, parent);
    await until('the notice is sent', async () => (await stage.notices(sessionId)).length === 1);
  });

  it('sends notices to other sessions although many wait for a full inbox', async () => {
    const child = await stage.session(sessionId);
    await stage.daemon.core.inbox.submit(OWNER, child, { text: 'x', rule: 'followup' });
    await stage.daemon.driver.nth(1);
    const item = { text: 'y', rule: 'collect' as const };
    const waiting = Array.from({ length: LIMITS.waitingItemsPerSession }, () =>
      stage.daemon.core.inbox.submit(OWNER, child, item),
    );
    await Promise.allSettled(waiting);
    for (let count = 0; count < 101; count += 1) {
      await stage.settle((await stage.begin(child)).taskId);
    }
    const other = await stage.session(sessionId);
    const { taskId } = await stage.begin(other);
    await stage.daemon.core.inbox.submit(OWNER, other, { text: 'x', rule: 'followup' });
    await stage.daemon.driver.nth(2);
    await stage.settle(taskId);
    await stage.endAlone(other);
    await stage.tasks.tick();
    expect((await stage.notices(sessionId)).map(({ metadata }) => metadata['taskId'])).toEqual([
      taskId,
    ]);
  });

  it('continues with everything else while a task does not stop', async () => {
    const { taskId } = await stage.begin(sessionId);
    const shell = stage.executor('shell');
    shell.whileStopping = () => new Promise(() => undefined);
    void stage.tasks.stop(OWNER, taskId);
    await until('it is being stopped', () => shell.stopped.length === 1);
    let isDone = false;
    void stage.tasks.tick().then(() => (isDone = true));
    await until('the tick is done', () => {
      stage.pass(10_000);
      return isDone;
    });
    expect(await stage.get(taskId)).toMatchObject({ status: 'running', stopping: {} });
    expect(shell.stopped).toHaveLength(1);
  });
});
