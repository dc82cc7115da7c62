import { LIMITS } from '@stoa/protocol';
import { AgentSession, OWNER, until } from '@stoa/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { givenAsMade, TaskStage, textOf } from './task-stage.fixture.js';

describe('a daemon that starts', () => {
  let stage: TaskStage;
  let sessionId: string;

  beforeEach(async () => {
    ({ stage, sessionId } = await TaskStage.withSession());
  });
  afterEach(() => stage.discardSound());

  it('takes up the shells that ran, and pauses the agents', async () => {
    const shell = await stage.begin(sessionId);
    const ended = await stage.begin(sessionId);
    await stage.settle(ended.taskId);
    const agent = await stage.begin(sessionId, 'agent', { isForeground: true });
    const goesOn = { agentId: 'helper', onRestart: 'resume' };
    const resumed = await stage.begin(sessionId, 'agent', { detail: goesOn });
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

  it('says that a task is lost that nobody can take up, and why', async () => {
    const unknown = await stage.begin(sessionId, 'monitor');
    const broken = await stage.begin(sessionId);
    stage.executor('shell').whenReattached = () => Promise.reject(new Error('its files are gone'));
    const rest = [...stage.executors].filter(([kind]) => kind !== 'monitor');
    await stage.restart({ taskExecutors: givenAsMade(rest) });
    expect(await stage.get(unknown.taskId)).toMatchObject({
      status: 'lost',
      end: { cause: 'no_executor', message: expect.stringContaining('monitor') as string },
    });
    expect(await stage.get(broken.taskId)).toMatchObject({
      status: 'lost',
      end: { cause: 'outcome_unknown', message: 'its files are gone' },
    });
    const told = (await stage.notices(sessionId)).map(textOf);
    expect(told).toHaveLength(2);
    expect(told.some((text) => text.includes('its files are gone'))).toBe(true);
  });

  it('T-29 stops what was being stopped when the last one ended, and does not take it up', async () => {
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

  it('leaves alone what belongs to another place, and says so to who asks for it', async () => {
    const { taskId } = await stage.begin(sessionId);
    await stage.restart({ location: 'elsewhere' });
    expect(await stage.statusOf(taskId)).toBe('running');
    expect(stage.executor('shell').reattached).toEqual([]);
    const asked = stage.tasks.output(OWNER, taskId, { offset: 0, limit: 9 });
    await expect(asked).rejects.toMatchObject({ code: 'task_elsewhere' });
    // That it is to stop is left for the daemon there to find.
    expect(await stage.tasks.stop(OWNER, taskId)).toMatchObject({
      status: 'running',
      stopping: { by: 'human:owner' },
    });
    await stage.restart();
    expect(await stage.statusOf(taskId)).toBe('cancelled');
  });

  it('says once that what another place has is to stop, however often it looks', async () => {
    const child = await stage.session(sessionId);
    const { taskId } = await stage.begin(child, 'monitor');
    await stage.restart({ location: 'elsewhere' });
    await stage.daemon.core.sessions.end(OWNER, child);
    await until('it is to stop', async () => (await stage.get(taskId)).stopping);
    const session = AgentSession.of(stage.daemon, child);
    const before = await session.events();
    await stage.tasks.tick();
    await stage.tasks.tick();
    expect(await session.events()).toEqual(before);
    await stage.restart();
    expect(await stage.statusOf(taskId)).toBe('cancelled');
  });

  it('hands over what sessions left behind that ended while nobody looked', async () => {
    const child = await stage.session(sessionId);
    const told = await stage.begin(child);
    await stage.daemon.core.inbox.submit(OWNER, child, { text: 'x', rule: 'followup' });
    await stage.daemon.driver.nth(1);
    // The end is told to the child, which ends before it hears of it.
    await stage.settle(told.taskId);
    const running = await stage.begin(child);
    const transact = stage.daemon.store.transact.bind(stage.daemon.store);
    let ended = 0;
    stage.daemon.store.transact = (body, options) => {
      ended += 1;
      return ended === 1 ? transact(body, options) : new Promise(() => undefined);
    };
    await stage.daemon.core.sessions.end(OWNER, child);
    stage.daemon.store.transact = transact;
    expect((await stage.get(running.taskId)).sessionId).toBe(child);
    await stage.restart();
    expect((await stage.get(running.taskId)).sessionId).toBe(sessionId);
    expect((await stage.get(told.taskId)).sessionId).toBe(sessionId);
    const notices = await stage.notices(sessionId);
    expect(notices.map(({ metadata }) => metadata['taskId'])).toEqual([told.taskId]);
    // The one above ends too, and nobody is left.
    await stage.daemon.core.sessions.end(OWNER, sessionId);
    await until(
      'it is stopped',
      async () => (await stage.statusOf(running.taskId)) === 'cancelled',
    );
  });

  it.each(['shell', 'agent', 'monitor'])(
    'tells the one above of the end of a %s that a session did not live to hear of, whoever dies then',
    async (kind) => {
      const child = await stage.session(sessionId);
      const { taskId } = await stage.begin(child, kind);
      await stage.daemon.core.inbox.submit(OWNER, child, { text: 'x', rule: 'followup' });
      await stage.daemon.driver.nth(1);
      await stage.settle(taskId);
      await stage.endAlone(child);
      expect(await stage.notices(sessionId)).toEqual([]);
      await stage.restart();
      const told = await stage.notices(sessionId);
      expect(told.map(({ metadata }) => metadata['taskId'])).toEqual([taskId]);
      await stage.tasks.tick();
      expect(await stage.notices(sessionId)).toHaveLength(1);
      expect((await stage.get(taskId)).notice).toBe('sent');
    },
  );

  it.each(['shell', 'agent', 'monitor'])(
    'tells the end of a %s to the one above that lives to hear of it, however many do not',
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
        await until(`${heir} is told`, async () => (await stage.notices(heir)).length > 0);
        expect(await stage.get(taskId)).toMatchObject({ sessionId: heir, startedIn: child });
      }
      await stage.tasks.tick();
      const told = (await stage.notices(sessionId)).map(({ metadata }) => metadata['taskId']);
      expect(told).toEqual([taskId]);
    },
  );

  it('puts what ends in a session that is over where it is told', async () => {
    const parent = await stage.session(sessionId);
    const child = await stage.session(parent);
    const { taskId } = await stage.begin(child);
    await stage.daemon.core.inbox.submit(OWNER, parent, { text: 'x', rule: 'followup' });
    await stage.daemon.driver.nth(1);
    await stage.endAlone(child);
    expect(await stage.settle(taskId)).toMatchObject({ notice: 'sent', sessionId: parent });
    expect((await stage.get(taskId)).sessionId).toBe(parent);
    await stage.daemon.core.sessions.end(OWNER, parent);
    await until('it is told', async () => (await stage.notices(sessionId)).length === 1);
  });

  it('tells ends to those who have room, however many wait for one who has none', async () => {
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
    const { store } = stage.daemon;
    const transact = store.transact.bind(store);
    await stage.daemon.core.inbox.submit(OWNER, other, { text: 'x', rule: 'followup' });
    await stage.daemon.driver.nth(2);
    await stage.settle(taskId);
    let writes = 0;
    store.transact = (body, options) => {
      writes += 1;
      return writes === 1 ? transact(body, options) : new Promise(() => undefined);
    };
    await stage.daemon.core.sessions.end(OWNER, other);
    store.transact = transact;
    await stage.tasks.tick();
    expect((await stage.notices(sessionId)).map(({ metadata }) => metadata['taskId'])).toEqual([
      taskId,
    ]);
  });

  it('goes on with everything else while something does not let itself be stopped', async () => {
    const { taskId } = await stage.begin(sessionId);
    const shell = stage.executor('shell');
    shell.whileStopping = () => new Promise(() => undefined);
    void stage.tasks.stop(OWNER, taskId);
    await until('it is being stopped', () => shell.stopped.length === 1);
    let isDone = false;
    void stage.tasks.tick().then(() => (isDone = true));
    await until('upkeep is done', () => {
      stage.pass(10_000);
      return isDone;
    });
    expect(await stage.get(taskId)).toMatchObject({ status: 'running', stopping: {} });
    expect(shell.stopped).toHaveLength(1);
  });
});
