import { OWNER, STORE_ENGINES } from '@stoa/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { TurnStage } from './turn-stage.fixture.js';

const ONE_REPLY = { maxAgentRepliesPerHumanMessage: 1 };

describe.each(STORE_ENGINES)('a person who continues in a thread, on $name', (engine) => {
  let stage: TurnStage;
  afterEach(() => stage.close());
  const open = async (names: readonly string[], policy: object = {}): Promise<void> => {
    stage = await TurnStage.open(engine, names, policy);
  };
  const verdicts = async (rootMessageId: string, index = -1): Promise<(string | undefined)[]> => {
    const decision = (await stage.decisions(rootMessageId)).at(index);
    return (decision?.candidates ?? []).map(
      ({ memberId, verdict, reason }) => `${memberId} ${verdict} ${reason}`,
    );
  };

  const stimulate = async (threadRootMessageId: string): Promise<void> => {
    await stage.core.stimuli.create(OWNER, 'team', {
      kind: 'thread_idle_followup',
      scope: 'thread',
      visibilityHint: 'auto',
      threadRootMessageId,
      content: 'news',
    });
    await stage.core.stimuli.tick();
  };

  it('DU-1 DU-3 gets an answer at once from the agent that spoke there last, even during its cooldown', async () => {
    await open(['a', 'b'], ONE_REPLY);
    const { messageId } = await stage.say('@b begin');
    expect(await stage.speak('begun')).toBe('b');
    await stage.say('elsewhere, @a');
    expect(await stage.speak('here')).toBe('a');
    await stage.say('go on', { threadRootMessageId: messageId });
    expect(await verdicts(messageId)).toEqual(['b granted last_in_thread', 'a queued member']);
    expect(await stage.speak('more')).toBe('b');
    await stage.say('and you, @a?', { threadRootMessageId: messageId });
    expect(await stage.speak('me too')).toBe('a');
  });

  it('DU-4 C-57 the cooldown applies to other speakers of the thread, and to the last one after a stimulus', async () => {
    await open(['a', 'b'], ONE_REPLY);
    const { messageId } = await stage.say('@a hello');
    expect(await stage.speak('one')).toBe('a');
    await stage.say('and you, @b?', { threadRootMessageId: messageId });
    expect(await stage.speak('two')).toBe('b');
    await stage.say('and?', { threadRootMessageId: messageId });
    expect(await verdicts(messageId)).toEqual([
      'b granted last_in_thread',
      'a skipped cooling_down',
    ]);
    expect(await stage.speak('three')).toBe('b');
    await stimulate(messageId);
    expect(await verdicts(messageId)).toEqual(['b skipped cooling_down', 'a skipped cooling_down']);
  });

  it('DU-5 has a full budget of replies for the new message, also after a restart', async () => {
    await open(['a', 'b'], { maxAgentRepliesPerHumanMessage: 2, memberCooldownMs: 0 });
    const { messageId } = await stage.say('first, @a');
    const first = await stage.next();
    await first.run.deliver();
    await first.run.context.journal.emitOutput([{ type: 'text', text: 'to the first' }]);
    await stage.say('second', { threadRootMessageId: messageId });
    await stage.restart();
    const resumed = await stage.next();
    resumed.run.complete();
    await stage.ended(resumed.run);
    expect(await stage.lastTurn(messageId)).toMatchObject({ replies: 0, startedRuns: 1 });
    expect([await stage.speak('one'), await stage.speak('two')].sort()).toEqual(['a', 'b']);
    expect(await stage.lastTurn(messageId)).toMatchObject({ replies: 2, outcome: 'reply_budget' });
    expect(await stage.messages()).toHaveLength(5);
  });

  it('DU-6 gets an answer from the named agent, although only one reply is allowed and another is being written', async () => {
    await open(['a', 'b', 'c'], ONE_REPLY);
    const { messageId } = await stage.say('first, @a');
    const first = await stage.next();
    await stage.say('second, @b', { threadRootMessageId: messageId });
    // The member that the person named comes before the member that the older answer calls.
    first.run.complete('@c what do you think?');
    await stage.ended(first.run);
    expect(await stage.speak('to the second')).toBe('b');
    expect(await stage.lastTurn(messageId)).toMatchObject({ replies: 1, outcome: 'reply_budget' });
  });

  it('DU-7 loses none of its replies to an answer to a stimulus', async () => {
    await open(['a', 'b'], { ...ONE_REPLY, memberCooldownMs: 0 });
    const { messageId } = await stage.say('hello, @a');
    await stage.speak('hi');
    await stimulate(messageId);
    const autonomous = await stage.next();
    await stage.say('and now, @b?', { threadRootMessageId: messageId });
    autonomous.run.complete('about the news');
    await stage.ended(autonomous.run);
    expect((await stage.lastTurn(messageId)).replies).toBe(0);
    expect(await stage.speak('to the person')).toBe('b');
  });

  it('is not lost while the only agent is busy elsewhere, or with the message before', async () => {
    await open(['a'], ONE_REPLY);
    const { messageId } = await stage.say('first');
    const first = await stage.next();
    await stage.say('second', { threadRootMessageId: messageId });
    const other = await stage.say('third, elsewhere');
    first.run.complete('one');
    await stage.ended(first.run);
    for (const text of ['two', 'three']) expect(await stage.speak(text)).toBe('a');
    for (const root of [messageId, other.messageId]) {
      expect(await stage.lastTurn(root)).toMatchObject({ replies: 1, outcome: 'reply_budget' });
    }
  });

  it('DU-8 a called agent replies to the message of its caller, in the thread and turn of the person', async () => {
    await open(['a', 'b']);
    const { messageId } = await stage.say('@a begin');
    expect(await stage.speak('@b please')).toBe('a');
    const called = await stage.next();
    expect(called.run.context.items[0]?.delivery?.isAddressed).toBe(true);
    called.run.complete('done');
    await stage.ended(called.run);
    const [, handOver, answer] = await stage.read();
    expect(handOver?.replyToMessageId).toBe(messageId);
    expect(answer).toMatchObject({
      threadRootMessageId: messageId,
      replyToMessageId: handOver?.messageId,
    });
    const [, lease] = (await stage.leases(false)).reverse();
    expect(lease).toMatchObject({ memberId: 'b', originMessageId: messageId });
  });
});
