import { deleteDaemon } from '@stoa/store';
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
    daemon.core.sessions.submit(OWNER, sessionId, { text, rule: 'followup' });

  it('work on a session one at a time', async () => {
    await submit(one, 'a');
    const run = await one.driver.nth(1);
    await submit(two, 'b');
    await two.core.runner.look();
    expect(two.driver.runs).toEqual([]);
    run.complete();
    one.core.runner.hint(sessionId);
    expect((await one.driver.nth(2)).texts).toEqual(['b']);
  });

  it('fence: who was taken for gone and comes back cannot write any more', async () => {
    const { runId } = await submit(one, 'a');
    const lost = await one.driver.nth(1);
    await lost.deliver();
    const { daemonId } = one.core.ownership;
    await one.store.transact(() => deleteDaemon.run({ daemonId }));
    await two.core.runner.look();
    const taken = await two.driver.nth(1);
    expect(taken.runId).toBe(runId);
    expect(taken.context.attempt).toBe(2);
    await expect(lost.context.journal.note('late', 'still here')).rejects.toMatchObject({
      code: 'ownership_lost',
    });
    lost.complete('from the one that was gone');
    taken.complete('from the other');
    const run = await until('it ended', async () => {
      const now = await two.core.sessions.run(OWNER, runId);
      return now.status === 'completed' ? now : undefined;
    });
    expect(run.output).toEqual([{ type: 'text', text: 'from the other' }]);
  });

  it('hand over what one leaves behind when it stops', async () => {
    const { runId } = await submit(one, 'a');
    await (await one.driver.nth(1)).deliver();
    await one.stop();
    await two.core.runner.look();
    const taken = await two.driver.nth(1);
    expect(taken.runId).toBe(runId);
    expect(taken.context.items).toEqual([]);
  });
});
