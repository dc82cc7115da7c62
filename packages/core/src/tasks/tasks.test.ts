import { OWNER, STORE_ENGINES, until } from '@stoa/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { asSession, TaskStage, textOf } from './task-stage.fixture.js';

describe.each(STORE_ENGINES)('the registry of tasks on $name', (engine) => {
  let stage: TaskStage;
  let sessionId: string;

  beforeEach(async () => {
    stage = await TaskStage.open(engine);
    sessionId = await stage.session();
  });
  afterEach(async () => {
    expect(await stage.problems()).toEqual([]);
    await stage.world.discard();
  });

  it('T-1 sends the session exactly one notice of the end of a task, with its exit code and its tail', async () => {
    const { taskId } = await stage.begin(sessionId, 'shell', { outputPath: '/tasks/out' });
    const end = { cause: 'exited', exitCode: 1 };
    const tail = 'error: it broke';
    const ended = await stage.settle(taskId, { status: 'failed', end, tail });
    expect(ended).toMatchObject({ status: 'failed', end, notice: 'sent' });
    // Later ends change nothing.
    await stage.settle(taskId, { status: 'completed', end: { cause: 'exited', exitCode: 0 } });
    await stage.settle(taskId, { status: 'lost', end: { cause: 'outcome_unknown' } });
    expect(await stage.get(taskId)).toEqual(ended);
    const [notice, ...others] = await stage.notices(sessionId);
    expect(others).toEqual([]);
    expect(notice?.itemId).toBe(ended.noticeItemId);
    expect(notice && textOf(notice)).toBe(
      `Background task ${taskId} (shell: a shell) failed with exit code 1.\n` +
        'Output: /tasks/out\nLast output:\nerror: it broke',
    );
  });

  it('T-24 refuses the 17th monitor of a person in any session', async () => {
    const other = await stage.session();
    const monitors = [];
    for (let i = 0; i < 16; i++) {
      monitors.push(await stage.begin(i % 2 === 0 ? sessionId : other, 'monitor'));
    }
    await expect(stage.begin(sessionId, 'monitor')).rejects.toMatchObject({
      code: 'too_many_tasks',
    });
    expect(await stage.list()).toHaveLength(16);
    await stage.settle(monitors[3]?.taskId ?? '');
    expect((await stage.begin(other, 'monitor')).status).toBe('running');
  });

  it('T-28 queues the 11th agent; one that is cancelled in the queue takes no slot', async () => {
    const agents = [];
    for (let i = 0; i < 13; i++) {
      stage.world.clock.move(1);
      agents.push(await stage.begin(sessionId, 'agent'));
    }
    const statuses = agents.map(({ status }) => status);
    expect(statuses.slice(0, 10)).toEqual(Array<string>(10).fill('running'));
    expect(statuses.slice(10)).toEqual(['queued', 'queued', 'queued']);
    const [first, , , , , , , , , , eleventh, twelfth, last] = agents.map(({ taskId }) => taskId);
    expect((await stage.tasks.stop(OWNER, eleventh ?? '')).status).toBe('cancelled');
    expect(stage.executor('agent').stopped).toEqual([]);
    await stage.settle(first ?? '');
    await until('one starts', () => stage.executor('agent').started.length > 0);
    expect(stage.executor('agent').started).toEqual([twelfth]);
    expect(await stage.statusOf(twelfth ?? '')).toBe('running');
    expect(await stage.statusOf(last ?? '')).toBe('queued');
  });

  it('T-34 hands the shells of an ended session to the session above, and stops its monitors', async () => {
    const child = await stage.session(sessionId);
    const shell = await stage.begin(child, 'shell');
    const monitor = await stage.begin(child, 'monitor');
    await stage.daemon.core.sessions.end(OWNER, child);
    await until(
      'the monitor is gone',
      async () => (await stage.statusOf(monitor.taskId)) === 'cancelled',
    );
    await until(
      'the shell went up',
      async () => (await stage.get(shell.taskId)).sessionId === sessionId,
    );
    expect(await stage.get(shell.taskId)).toMatchObject({ startedIn: child, status: 'running' });
    expect(await stage.list(sessionId)).toEqual([shell.taskId]);
    await stage.settle(shell.taskId, { end: { cause: 'exited', exitCode: 0 } });
    expect((await stage.notices(sessionId)).map(({ itemId }) => itemId)).toEqual([
      (await stage.get(shell.taskId)).noticeItemId,
    ]);
    expect(await stage.notices(child)).toEqual([]);
  });

  it('T-43 keeps the newest 32 shells that ended, and all that run or whose notice is due', async () => {
    const running = await stage.begin(sessionId);
    const ended: string[] = [];
    // The session reads none of the notices: its first run goes on.
    for (let i = 0; i < 34; i++) {
      stage.world.clock.move(1_000);
      const { taskId } = await stage.begin(sessionId);
      await stage.settle(taskId);
      ended.push(taskId);
    }
    const all = [running.taskId, ...ended.toReversed()];
    expect(await stage.list(sessionId)).toEqual(all);
    const run = await stage.daemon.driver.nth(1);
    await run.deliver();
    run.complete();
    const rest = await stage.daemon.driver.nth(2);
    await rest.deliver();
    rest.complete();
    stage.world.clock.move(1_000);
    const { taskId } = await stage.begin(sessionId);
    await stage.settle(taskId);
    expect(await stage.list(sessionId)).toEqual([
      running.taskId,
      taskId,
      ...ended.toReversed().slice(0, 31),
    ]);
    expect(stage.executor('shell').forgotten).toEqual(ended.slice(0, 3));
  });

  it('T-45 lists tasks that go on by start, then ended tasks by end, page by page', async () => {
    const child = await stage.session(sessionId);
    const made: string[] = [];
    for (let i = 0; i < 6; i++) {
      stage.world.clock.move(1_000);
      made.push((await stage.begin(i % 2 === 0 ? sessionId : child)).taskId);
    }
    const [a = '', b = '', c = '', d = '', e = '', f = ''] = made;
    for (const taskId of [e, a, c]) {
      stage.world.clock.move(1_000);
      await stage.settle(taskId);
    }
    const order = [f, d, b, c, a, e];
    expect(await stage.list()).toEqual(order);
    const read: string[] = [];
    for (let before: string | undefined; ; ) {
      const page = await stage.tasks.list(asSession(sessionId), { before, limit: 2 });
      read.push(...page.tasks.map(({ taskId }) => taskId));
      before = page.nextBefore;
      if (before === undefined) break;
    }
    expect(read).toEqual(order);
    expect(await stage.list(child)).toEqual([f, d, b]);
    const narrowed = { kind: 'shell', status: 'completed' as const, limit: 9 };
    const completed = await stage.tasks.list(OWNER, narrowed);
    expect(completed.tasks.map(({ taskId }) => taskId)).toEqual([c, a, e]);
    expect((await stage.tasks.list(asSession(child), { limit: 9 })).tasks).toHaveLength(3);
  });

  it('T-46 stops all tasks of a session and of the sessions below it, and sends them no notices', async () => {
    const child = await stage.session(sessionId);
    const done = await stage.begin(child);
    // Notices wait behind these runs.
    for (const id of [sessionId, child]) {
      await stage.daemon.core.inbox.submit(OWNER, id, { text: 'work', rule: 'followup' });
    }
    await stage.daemon.driver.nth(2);
    await stage.settle(done.taskId);
    const live = [
      await stage.begin(sessionId),
      await stage.begin(sessionId, 'agent'),
      await stage.begin(child),
      await stage.begin(child, 'monitor'),
    ];
    const stopped = await stage.tasks.stopAll(OWNER, sessionId);
    expect(stopped.map(({ taskId }) => taskId).sort()).toEqual(live.map((t) => t.taskId).sort());
    for (const task of stopped) {
      expect(task).toMatchObject({ status: 'cancelled', end: { by: 'human:owner' } });
    }
    for (const id of [sessionId, child]) {
      expect((await stage.notices(id)).filter(({ state }) => state !== 'dropped')).toEqual([]);
    }
    expect((await stage.notices(child)).map(({ state }) => state)).toEqual(['dropped']);
    for (const run of [1, 2]) (await stage.daemon.driver.nth(run)).complete();
    await until('nothing is left to do', async () => {
      const { status } = await stage.daemon.core.sessions.get(OWNER, child);
      return status === 'idle';
    });
    expect(stage.daemon.driver.runs).toHaveLength(2);
  });

  it('keeps queued tasks over a restart, and starts them when a slot is free', async () => {
    const agents = [];
    for (let i = 0; i < 11; i++) agents.push(await stage.begin(sessionId, 'agent'));
    const last = agents.at(-1)?.taskId ?? '';
    await stage.restart();
    // The restart paused the running ones, so slots are free.
    await until('the last one starts', async () => (await stage.statusOf(last)) === 'running');
    expect(stage.executor('agent').started).toEqual([last]);
    expect(await stage.statusOf(agents[0]?.taskId ?? '')).toBe('paused');
  });
});
