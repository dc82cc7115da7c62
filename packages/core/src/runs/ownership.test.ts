import { deleteDaemon, findDaemon, type Tx } from '@stoa/store';
import { OWNER, type RuntimeDaemon, RuntimeWorld, STORE_ENGINES, until } from '@stoa/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const POSTGRES = STORE_ENGINES.filter(({ name }) => name === 'postgres');

describe.each(POSTGRES)('two daemons on $name', (engine) => {
  let world: RuntimeWorld;
  let one: RuntimeDaemon;
  let two: RuntimeDaemon;
  let sessionId: string;

  beforeEach(async () => {
    world = await RuntimeWorld.open(engine);
    one = await world.start();
    two = await world.start();
    ({ sessionId } = await one.core.sessions.create(OWNER, { agentId: 'helper' }));
  });
  afterEach(async () => {
    await world.discard();
  });

  const submit = (daemon: RuntimeDaemon, text: string) =>
    daemon.core.inbox.submit(OWNER, sessionId, { text, rule: 'followup' });

  it('work on a session one at a time', async () => {
    await submit(one, 'a');
    const run = await one.driver.nth(1);
    await submit(two, 'b');
    await two.core.runner.poll();
    expect(two.driver.runs).toEqual([]);
    run.complete();
    one.core.runner.hint(sessionId);
    expect((await one.driver.nth(2)).texts).toEqual(['b']);
  });

  it('fence: a daemon that was considered gone cannot write when it returns', async () => {
    const { runId } = await submit(one, 'a');
    const lost = await one.driver.nth(1);
    await lost.deliver();
    const { daemonId } = one.core.ownership;
    await one.store.transact(() => deleteDaemon.run({ daemonId }));
    await two.core.runner.poll();
    const taken = await two.driver.nth(1);
    expect(taken.runId).toBe(runId);
    expect(taken.context.attempt).toBe(2);
    await expect(lost.context.journal.note('late', 'still here')).rejects.toMatchObject({
      code: 'ownership_lost',
    });
    lost.complete('from the one that was gone');
    taken.complete('from the other');
    const run = await until('it ended', async () => {
      const now = await two.core.runs.get(OWNER, runId);
      return now.status === 'completed' ? now : undefined;
    });
    expect(run.output).toEqual([{ type: 'text', text: 'from the other' }]);
  });

  it.each(['hint', 'tick'] as const)(
    'stop runs at the next %s that another daemon took over or ended',
    async (how) => {
      const { sessions, inbox, runner, ownership } = one.core;
      const other = await sessions.create(OWNER, { agentId: 'helper' });
      await submit(one, 'a');
      const lost = await one.driver.nth(1);
      const { sessionId: otherId } = other;
      await inbox.submit(OWNER, otherId, { text: 'b', rule: 'followup' });
      const ended = await one.driver.nth(2);
      await one.store.transact(() => deleteDaemon.run({ daemonId: ownership.daemonId }));
      await two.core.ownership.claim(sessionId);
      await two.core.runs.cancel(OWNER, ended.runId);
      await one.core.ownership.beat();
      const kept = await sessions.create(OWNER, { agentId: 'helper' });
      await inbox.submit(OWNER, kept.sessionId, { text: 'c', rule: 'followup' });
      const own = await one.driver.nth(3);
      if (how === 'tick') await runner.tick();
      else for (const id of [sessionId, otherId, kept.sessionId]) runner.hint(id);
      await until('both are stopped', () =>
        [lost, ended].every(({ context }) => context.signal.aborted),
      );
      expect(runner.contextOf(sessionId)).toBeUndefined();
      expect(own.context.signal.aborted).toBe(false);
    },
  );

  it('do not claim a session of the other daemon until that one is gone', async () => {
    const { runId } = await submit(one, 'a');
    await one.driver.nth(1);
    let writes = 0;
    const transact = two.store.transact.bind(two.store);
    two.store.transact = (body, options) => {
      writes += 1;
      return transact(body, options);
    };
    const workStatus = () => two.core.ownership.workStatus(sessionId);
    two.core.runner.hint(sessionId);
    expect(await workStatus()).toBe('nothing');
    expect(writes).toBe(0);
    const { daemonId } = one.core.ownership;
    await one.store.transact(() => deleteDaemon.run({ daemonId }));
    expect(await workStatus()).toBe('work');
    two.core.runner.hint(sessionId);
    expect((await two.driver.nth(1)).runId).toBe(runId);
  });

  it('delete their state of a session that another daemon ended', async () => {
    await one.core.sessions.end(OWNER, sessionId);
    two.core.runner.hint(sessionId);
    await until('it is forgotten', () => two.driver.forgotten.includes(sessionId));
  });

  it('forget daemons that were killed long ago', async () => {
    const ids = () =>
      one.store.read(function* () {
        const found = [];
        for (const { core } of [one, two]) {
          const row = yield* findDaemon.first({ daemonId: core.ownership.daemonId });
          if (row) found.push(row.daemonId);
        }
        return found;
      });
    await one.store.transact(function* (): Tx<void> {
      const postgres = `UPDATE "daemons" SET "seenAt" = "seenAt" - 86500000 WHERE "daemonId" = $1`;
      const { daemonId } = one.core.ownership;
      yield { text: { ...deleteDaemon.text, postgres }, params: { daemonId }, take: 'changes' };
    });
    await world.start();
    expect(await ids()).toEqual([two.core.ownership.daemonId]);
  });

  it('take over the runs of a daemon that stops', async () => {
    const { runId } = await submit(one, 'a');
    await (await one.driver.nth(1)).deliver();
    await one.stop();
    await two.core.runner.poll();
    const taken = await two.driver.nth(1);
    expect(taken.runId).toBe(runId);
    expect(taken.context.items).toEqual([]);
  });
});
