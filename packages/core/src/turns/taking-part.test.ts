import { OWNER, STORE_ENGINES } from '@stoa/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import type { Ephemeral } from '../kernel/reader.js';
import { TurnStage } from './turn-stage.fixture.js';

/** These cases use no statement of their own, so one engine is enough. */
const [engine] = STORE_ENGINES;

describe('agents that are members of a channel', () => {
  let stage: TurnStage;
  afterEach(() => stage.close());
  const open = async (names: readonly string[]): Promise<void> => {
    if (!engine) throw new Error('there is no engine');
    stage = await TurnStage.open(engine, names);
  };

  it('C-60 an agent reads assets that are pinned or attached in its channels, and no others', async () => {
    await open(['a']);
    const { assets, channels, sessions } = stage.core;
    const made = async (text: string): Promise<string> =>
      (await assets.create(new TextEncoder().encode(text), undefined, 'human:owner')).assetId;
    const [pinned, attached, other] = [await made('plan'), await made('note'), await made('x')];
    await channels.pin(OWNER, 'team', pinned);
    const inputItems = [{ type: 'asset_reference' as const, assetId: attached }];
    await channels.post(OWNER, 'team', { inputItems });
    const as = (id: string) => ({ kind: 'session', id, credentialId: 'session' }) as const;
    const read = async (assetId: string, by = as(stage.sessionOf('a'))): Promise<string> =>
      new TextDecoder().decode((await channels.asset(by, 'team', assetId)).bytes);
    expect([await read(pinned), await read(attached)]).toEqual(['plan', 'note']);
    await expect(read(other)).rejects.toMatchObject({ code: 'asset_not_found' });
    const { sessionId } = await sessions.create(OWNER, { agentId: 'helper' });
    await expect(read(pinned, as(sessionId))).rejects.toMatchObject({ code: 'not_member' });
  });

  it('C-12 C-13 an agent reacts once and as itself, and its lease ends as reacted', async () => {
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

  it('C-20 an agent whose run fails is skipped, and the decision states the failure', async () => {
    await open(['a', 'b']);
    const { messageId } = await stage.say('hello');
    const { name, run } = await stage.next();
    const failure = { phase: 'start', code: 'acp_not_found', message: 'no such program' } as const;
    run.end({ type: 'failed', failure });
    await stage.ended(run);
    expect([name, await stage.speak('here')]).toEqual(['a', 'b']);
    const passed = (await stage.decisions(messageId)).find(({ ended }) => ended.length > 0);
    expect(passed?.ended).toMatchObject([
      { memberId: 'a', outcome: 'failed', reason: 'acp_not_found', detail: 'no such program' },
    ]);
    expect(passed?.candidates.find(({ memberId }) => memberId === 'a')).toMatchObject({
      verdict: 'skipped',
      reason: 'served',
    });
    expect(passed?.granted).toMatchObject([{ memberId: 'b' }]);
  });

  it('C-68 a draft ends when the turn passes to another agent, whose draft follows', async () => {
    await open(['a', 'b']);
    const seen: Ephemeral[] = [];
    const subscription = await stage.core.hub.follow(
      {
        event: () => undefined,
        chunk: (chunk) => seen.push(chunk),
        gap: () => undefined,
        cutOff: () => undefined,
        pendingBytes: () => 0,
        drained: () => Promise.resolve(),
      },
      'channel:team',
      undefined,
    );
    subscription?.begin();
    const moment = (): void => {
      stage.daemon.timers.advance(100);
    };
    await stage.say('hello');
    const first = await stage.next();
    first.run.context.showText(0, 'I think');
    moment();
    await stage.pass(60_000);
    expect(await stage.ended(first.run)).toBe('cancelled');
    const second = await stage.next();
    first.run.context.showText(0, ' it is late');
    second.run.context.showText(0, 'Hello.');
    moment();
    second.run.complete('Hello.');
    await stage.ended(second.run);
    const posted = (await stage.read()).at(-1)?.messageId;
    expect(seen).toMatchObject([
      { type: 'draft', memberId: 'a', text: 'I think' },
      { type: 'draft_ended', runId: first.run.runId },
      { type: 'draft', memberId: 'b', text: 'Hello.' },
      { type: 'draft_ended', runId: second.run.runId, messageId: posted },
    ]);
    expect(seen[1]).not.toHaveProperty('messageId');
    subscription?.end();
  });
});
