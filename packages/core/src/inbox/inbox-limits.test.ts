import { type DispatchRule, LIMITS } from '@stoa/protocol';
import { insertInboxItem, openSession } from '@stoa/store';
import {
  AgentSession,
  OWNER,
  type RuntimeDaemon,
  RuntimeWorld,
  STORE_ENGINES,
} from '@stoa/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const RULES: readonly DispatchRule[] = ['followup', 'collect', 'steer', 'inject', 'interrupt'];

describe.each(STORE_ENGINES)('the limits of an inbox on $name', (engine) => {
  let world: RuntimeWorld;
  let daemon: RuntimeDaemon;
  let session: AgentSession;

  beforeEach(async () => {
    world = await RuntimeWorld.open(engine);
    daemon = await world.start();
    session = await AgentSession.open(daemon, 'helper');
  });
  afterEach(async () => {
    await world.discard();
  });

  /** Adds waiting items. */
  const fill = (count: number, runId: string): Promise<void> =>
    daemon.store.transact(function* () {
      const { topicId = 0 } = (yield* openSession.first(session)) ?? {};
      const row = { topicId, kind: 'input', runId, fromId: 'human:owner', at: 1, expiresAt: null };
      for (let i = 0; i < count; i++) {
        const seq = 1_000_000 + i;
        yield* insertInboxItem.run({ ...row, seq, itemId: `itm_${String(i)}` });
      }
    });

  it('collected and injected items count like others', async () => {
    await session.submit('busy');
    await (await daemon.driver.nth(1)).deliver();
    await fill(LIMITS.waitingItemsPerSession - 1, 'run_other');
    await session.submit('the last one', 'inject');
    for (const rule of RULES) {
      await expect(session.submit('one too many', rule)).rejects.toMatchObject({
        code: 'inbox_full',
      });
    }
  });

  it('an item for a run that is full gets a run of its own', async () => {
    const { runId } = await session.submit('busy');
    await (await daemon.driver.nth(1)).deliver();
    await fill(LIMITS.itemsPerRun - 2, runId);
    expect(await session.submit('in time', 'inject')).toMatchObject({ runId });
    const late = await session.submit('too late', 'inject');
    expect(late.appliedRule).toBe('followup');
    expect(late.runId).not.toBe(runId);
  });

  it('collected items beyond the limit of a run get another run', async () => {
    await session.submit('busy');
    await daemon.driver.nth(1);
    const first = await session.submit('a', 'collect');
    await fill(LIMITS.itemsPerRun - 2, first.runId);
    expect(await session.submit('b', 'collect')).toMatchObject({ runId: first.runId });
    const next = await session.submit('c', 'collect');
    expect(next.runId).not.toBe(first.runId);
    expect(await session.submit('d', 'collect')).toMatchObject({ runId: next.runId });
    const { queuedRuns } = await daemon.core.sessions.get(OWNER, session.sessionId);
    expect(queuedRuns).toBe(2);
  });
});
