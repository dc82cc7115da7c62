import { OWNER, STORE_ENGINES, until } from '@stoa/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AgentFixture } from './agent-stage.fixture.js';

/** The names of daemons of one data directory. */
const HERE = { wasHere: (daemonId: string) => daemonId.startsWith('here:') };

describe.each(STORE_ENGINES)('an agent in the background on $name', (engine) => {
  let stage: AgentFixture;

  beforeEach(async () => {
    stage = await AgentFixture.open(engine, { ...HERE, daemonId: 'here:1' });
  });
  afterEach(async () => {
    expect((await stage.daemon.core.checkIntegrity()).problems).toEqual([]);
    await stage.world.discard();
  });

  it('T-29 is paused after a crash, even if its daemon was seen a moment ago', async () => {
    const task = await stage.launch();
    await (await stage.runOf(task)).deliver();
    await stage.daemon.store.close();
    await stage.start({ ...HERE, daemonId: 'here:2' });
    expect((await stage.get(task.taskId)).status).toBe('paused');
  });

  it('T-29 is not paused if another daemon continues it', async () => {
    const task = await stage.launch();
    await (await stage.runOf(task)).deliver();
    await stage.daemon.abandon();
    const another = await stage.world.start({ daemonId: 'there:1', location: 'there' });
    await another.core.tasks.recover();
    await another.core.runner.poll();
    const { sessionId } = stage.sessionOf(task);
    if (engine.name === 'sqlite') {
      // SQLite has one daemon at a time, so the other one ends first.
      await another.abandon();
      await stage.start({ ...HERE, daemonId: 'here:2' });
      expect((await stage.get(task.taskId)).status).toBe('paused');
      return;
    }
    const run = await another.driver.nth(1);
    expect(run.context.session.sessionId).toBe(sessionId);
    await stage.start({ ...HERE, daemonId: 'here:2' });
    expect((await stage.get(task.taskId)).status).toBe('running');
    run.complete('There is a cat.');
    expect(await stage.ended(task.taskId)).toMatchObject({ status: 'completed', notice: 'sent' });
    expect(await stage.notices()).toHaveLength(1);
  });

  it('T-36 sends a notice if another daemon took over the run that waited for it', async () => {
    await stage.parent.submit('Begin.');
    const { runId } = await stage.daemon.driver.nth(1);
    const task = await stage.launch({ isForeground: true, runId });
    await (await stage.runOf(task)).deliver();
    await stage.daemon.abandon();
    // The clocks of daemons may differ.
    stage.world.clock.move(-1_000);
    await stage.start({ daemonId: 'there:1', location: 'there' });
    await stage.daemon.core.runner.poll();
    await until('nobody waits for it', async () => !(await stage.get(task.taskId)).isForeground);
    (await stage.runOf(task)).complete('There is a cat.');
    expect(await stage.ended(task.taskId)).toMatchObject({ status: 'completed', notice: 'sent' });
  });

  it('T-28 T-31 waits for a slot, is revived by a message, and sends a notice for each end', async () => {
    const all = await Promise.all(Array.from({ length: 12 }, () => stage.launch()));
    const running = all.filter(({ status }) => status === 'running');
    const waiting = all.filter(({ status }) => status === 'queued');
    expect([running.length, waiting.length]).toEqual([10, 2]);
    const [first] = running;
    if (!first) throw new Error('none runs');
    const run = await stage.runOf(first);
    await run.deliver();
    run.complete('one');
    await stage.ended(first.taskId);
    const { tasks } = stage.daemon.core;
    // A queued agent has its slot now, so a revived one is queued.
    await until(
      'one begins',
      async () => (await tasks.list(OWNER, { status: 'queued', limit: 9 })).tasks.length === 1,
    );
    await Promise.all([
      tasks.send(OWNER, first.taskId, 'two'),
      tasks.send(OWNER, first.taskId, 'three'),
    ]);
    expect((await stage.get(first.taskId)).status).toBe('queued');
    for (const { taskId, status } of (await tasks.list(OWNER, { limit: 20 })).tasks) {
      if (taskId !== first.taskId && status !== 'completed') await tasks.stop(OWNER, taskId);
    }
    const second = await until('it goes on', () => {
      const runs = stage.runsOf(first);
      return runs.length === 2 ? runs[1] : undefined;
    });
    expect(second.texts.sort()).toEqual(['three', 'two']);
    second.complete('again');
    await until('it has ended again', async () => (await stage.get(first.taskId)).endedAt);
    const notices = (await stage.notices()).filter((text) => text.includes(first.taskId));
    expect(notices).toHaveLength(2);
  });
});
