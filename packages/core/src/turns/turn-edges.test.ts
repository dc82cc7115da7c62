import { type AutonomyPolicySettings, SYSTEM } from '@stoa/protocol';
import { OWNER, STORE_ENGINES } from '@stoa/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { arbitrate } from './arbitrate.js';
import { lease, member, policy, thread, turn } from './thread-state.fixture.js';
import { TurnStage } from './turn-stage.fixture.js';

describe.each(STORE_ENGINES)('edge cases of turns on $name', (engine) => {
  let stage: TurnStage;
  const open = async (
    names: readonly string[],
    settings?: AutonomyPolicySettings,
  ): Promise<void> => {
    stage = await TurnStage.open(engine, names, settings);
  };
  afterEach(async () => {
    await stage.assertIntact();
    await stage.close();
  });

  it('C-16 an item that waits for a session does not count as activity of its run', async () => {
    await open(['a'], { silenceLimitMs: 60_000 });
    await stage.say('hello');
    const { run } = await stage.next();
    await stage.pass(40_000);
    await stage.say('another thread');
    await stage.pass(30_000);
    expect(await stage.ended(run)).toBe('cancelled');
    expect((await stage.core.runs.get(SYSTEM, run.runId)).cancelReason).toBe('timeout');
  });

  it('C-19 an archived channel grants no turns, and continues when it is unarchived', async () => {
    await open(['a', 'b']);
    const { messageId } = await stage.say('hello');
    const { run } = await stage.next();
    await stage.core.channels.archive(OWNER, 'team');
    run.complete();
    await stage.ended(run);
    await stage.pass(1_000_000);
    expect(await stage.leases()).toEqual([]);
    await stage.core.channels.unarchive(OWNER, 'team');
    expect(await stage.speak('here')).toBe('b');
    expect((await stage.lastTurn(messageId)).outcome).toBe('answered');
  });

  it('C-18 a paused channel is still paused after it was archived and unarchived', async () => {
    await open(['a']);
    await stage.pause(true);
    await stage.say('hello');
    await stage.core.channels.archive(OWNER, 'team');
    await stage.core.channels.unarchive(OWNER, 'team');
    expect(await stage.leases()).toEqual([]);
    await stage.pause(false);
    expect(await stage.speak('here')).toBe('a');
  });

  it('a session that ends while it speaks does not get the next turn of the thread', async () => {
    await open(['a', 'b']);
    const { messageId } = await stage.say('hello', { addressedMemberIds: ['a'] });
    await stage.next();
    await stage.say('and again', { replyToMessageId: messageId, addressedMemberIds: ['a'] });
    await stage.core.sessions.end(OWNER, stage.sessionOf('a'));
    expect(await stage.leases()).toEqual([]);
    const last = (await stage.decisions(messageId)).at(-1);
    expect(last?.candidates.find(({ memberId }) => memberId === 'a')?.reason).toBe('session_ended');
    expect(last?.turn.outcome).toBe('silent');
  });
});

it('C-63 an unclaimed lease of an earlier turn refunds no run to this one', () => {
  const left = lease('a', { turnId: 'before', phase: 'granted', deadline: 30_000 });
  const { turn: after, ends } = arbitrate(
    thread([member('a'), member('b')], { turn: turn({ startedRuns: 2 }), leases: [left] }),
    policy({ maxStartedRunsPerHumanMessage: 3 }),
    30_000,
  );
  expect(ends).toEqual([{ leaseId: left.leaseId, outcome: 'unclaimed' }]);
  expect(after.startedRuns).toBe(3);
});
