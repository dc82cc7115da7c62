import { OWNER, STORE_ENGINES } from '@stoa/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { TurnStage } from './turn-stage.fixture.js';

/** What has no SQL of its own is shown on one engine. */
const [engine] = STORE_ENGINES;

describe('agents who take part', () => {
  let stage: TurnStage;
  afterEach(() => stage.close());
  const open = async (names: readonly string[]): Promise<void> => {
    if (!engine) throw new Error('there is no engine');
    stage = await TurnStage.open(engine, names);
  };

  it('C-12 C-13 an agent reacts at once and once, as itself; a turn in which it did no more has reacted', async () => {
    await open(['a', 'b']);
    const first = await stage.say('hello');
    expect(await stage.speak('hi')).toBe('a');
    const b = await stage.next();
    const by = { kind: 'session', id: stage.sessionOf('b'), credentialId: 'session' } as const;
    const reply = (await stage.read()).at(-1)?.messageId ?? '';
    const seq = async (): Promise<number> => (await stage.core.channels.get(OWNER, 'team')).headSeq;
    await stage.core.channels.react(by, 'team', reply, { emoji: '👍' });
    const once = await seq();
    const { reactions } = await stage.core.channels.react(by, 'team', reply, { emoji: '👍' });
    expect(reactions).toEqual([
      { emoji: '👍', count: 1, actorIds: [`session:${stage.sessionOf('b')}`] },
    ]);
    await stage.core.channels.unreact(by, 'team', reply, { emoji: '👎' });
    expect(await seq()).toBe(once);
    b.run.complete();
    await stage.ended(b.run);
    expect((await stage.leases(false)).map(({ memberId, outcome }) => [memberId, outcome])).toEqual(
      [
        ['b', 'reacted'],
        ['a', 'spoke'],
      ],
    );
    await stage.pass(1_000_000);
    expect(stage.runCount).toBe(2);
    expect((await stage.lastTurn(first.messageId)).outcome).toBe('answered');
  });

  it('C-20 whose run fails is passed over, and the decision says what it failed of', async () => {
    await open(['a', 'b']);
    const { messageId } = await stage.say('hello');
    const { name, run } = await stage.next();
    const failure = { phase: 'start', code: 'acp_not_found', message: 'no such program' } as const;
    run.end({ type: 'failed', failure });
    await stage.ended(run);
    expect([name, await stage.speak('here')]).toEqual(['a', 'b']);
    const passed = (await stage.decisions(messageId)).find(({ ended }) => ended.length > 0);
    expect(passed?.ended).toMatchObject([{ outcome: 'failed', reason: 'acp_not_found' }]);
    expect(passed?.candidates.find(({ memberId }) => memberId === 'a')).toMatchObject({
      verdict: 'skipped',
      reason: 'served',
    });
    expect(passed?.granted).toMatchObject([{ memberId: 'b' }]);
  });
});
