import { type AutonomyPolicySettings, LIMITS, SYSTEM } from '@stoa/protocol';
import { OWNER, STORE_ENGINES, until } from '@stoa/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { TurnStage } from './turn-stage.fixture.js';

describe.each(STORE_ENGINES)('turns in a channel on $name', (engine) => {
  let stage: TurnStage;
  const open = async (names: readonly string[], policy?: AutonomyPolicySettings): Promise<void> => {
    stage = await TurnStage.open(engine, names, policy);
  };
  afterEach(async () => {
    await stage.assertIntact();
    await stage.close();
  });

  it('C-1 a message with three idle agents grants one the turn and queues two, with reasons', async () => {
    await open(['a', 'b', 'c']);
    const { messageId } = await stage.say('hello');
    expect(await stage.leases()).toMatchObject([{ memberId: 'a', phase: 'granted' }]);
    const [decision] = await stage.decisions(messageId);
    expect(
      decision?.candidates.map(({ memberId, verdict, reason }) => [memberId, verdict, reason]),
    ).toEqual([
      ['a', 'granted', 'member'],
      ['b', 'queued', 'member'],
      ['c', 'queued', 'member'],
    ]);
  });

  it('C-2 two parallel speakers share one budget of three', async () => {
    await open(['a', 'b', 'c', 'd'], { maxParallelPublicSpeakers: 2 });
    const { messageId } = await stage.say('hello');
    const [first, second] = [await stage.next(), await stage.next()];
    expect([first.name, second.name].sort()).toEqual(['a', 'b']);
    for (const { name, run } of [first, second]) {
      await run.context.journal.emitOutput([{ type: 'text', text: `I am ${name}` }]);
      run.complete();
      await stage.ended(run);
    }
    expect(await stage.speak('I am third')).toBe('c');
    expect(await stage.lastTurn(messageId)).toMatchObject({ replies: 3, outcome: 'reply_budget' });
    expect(stage.runCount).toBe(3);
  });

  it('C-4 only addressed members speak, in the order in which they are named', async () => {
    await open(['a', 'b', 'c']);
    const { messageId } = await stage.say('you two', { addressedMemberIds: ['b', 'a'] });
    expect(await stage.speak('first')).toBe('b');
    expect(await stage.speak('second')).toBe('a');
    expect(await stage.lastTurn(messageId)).toMatchObject({ outcome: 'answered' });
    expect(await stage.messages()).toEqual(['owner: you two', 'b: first', 'a: second']);
  });

  it('C-6 an addressed member that is muted or started by hand only is skipped, with the reason', async () => {
    await open(['a', 'b', 'c']);
    await stage.join('a', { muted: true });
    await stage.join('b', { participationMode: 'manual_only' });
    const { messageId } = await stage.say('all', { addressedMemberIds: ['a', 'b', 'c'] });
    expect(await stage.speak('here')).toBe('c');
    const [decision] = await stage.decisions(messageId);
    expect(decision?.candidates.map(({ memberId, reason }) => `${memberId} ${reason}`)).toEqual([
      'a muted',
      'b manual_only',
      'c addressed',
    ]);
  });

  it('a member whose participation mode is cleared follows the channel again', async () => {
    await open(['a']);
    await stage.join('a', { participationMode: 'manual_only', expertiseTags: ['bread'] });
    const member = await stage.join('a', { participationMode: null });
    expect(member).not.toHaveProperty('participationMode');
    expect(member.expertiseTags).toEqual(['bread']);
    await expect(
      stage.core.channels.upsertMember(OWNER, 'team', { participationMode: null }),
    ).rejects.toMatchObject({ code: 'invalid_request' });
    await stage.say('hello');
    expect(await stage.speak('here')).toBe('a');
    await stage.core.channels.update(OWNER, 'team', { defaultParticipationMode: 'manual_only' });
    const { messageId } = await stage.say('and now?');
    const [decision] = await stage.decisions(messageId);
    expect(decision?.candidates.map(({ reason }) => reason)).toEqual(['manual_only']);
  });

  it('C-7 a name of two members addresses nobody', async () => {
    await open(['a', 'b', 'c']);
    await stage.join('b', { displayName: 'Twin' });
    await stage.join('c', { displayName: 'twin' });
    const { messageId } = await stage.say('what do you think, @twin?');
    expect((await stage.lastTurn(messageId)).selected).toEqual([]);
    const other = await stage.say('and you, @a?');
    expect((await stage.lastTurn(other.messageId)).selected).toEqual([stage.sessionOf('a')]);
  });

  it('C-8 a reply to a message of an agent goes to that agent, even during its cooldown', async () => {
    await open(['a', 'b'], { maxAgentRepliesPerHumanMessage: 1 });
    const { messageId } = await stage.say('@b begin', { addressedMemberIds: ['b'] });
    expect(await stage.speak('begun')).toBe('b');
    const [, reply] = await stage.read();
    await stage.say('go on', { replyToMessageId: reply?.messageId });
    expect(await stage.speak('more')).toBe('b');
    expect((await stage.lastTurn(messageId)).replies).toBe(1);
  });

  it('C-9 a run that emits nothing publishes nothing, and the next speaks', async () => {
    await open(['a', 'b']);
    const { messageId } = await stage.say('hello');
    expect(await stage.speak()).toBe('a');
    expect(await stage.speak('hi')).toBe('b');
    expect(await stage.messages()).toEqual(['owner: hello', 'b: hi']);
    const outcomes = (await stage.leases(false)).map(({ memberId, outcome }) => [
      memberId,
      outcome,
    ]);
    expect(outcomes.sort()).toEqual([
      ['a', 'abstained'],
      ['b', 'spoke'],
    ]);
    expect((await stage.lastTurn(messageId)).outcome).toBe('answered');
  });

  it('C-10 output that a run emitted before it failed is published once', async () => {
    await open(['a']);
    await stage.say('hello');
    const { run } = await stage.next();
    await run.context.journal.emitOutput([{ type: 'text', text: 'first' }]);
    await run.context.journal.emitOutput([{ type: 'text', text: 'last' }]);
    run.end({ type: 'failed', failure: { phase: 'agent', code: 'internal', message: 'broke' } });
    expect(await stage.ended(run)).toBe('failed');
    expect(await stage.messages()).toEqual(['owner: hello', 'a: last']);
  });

  it('C-11 after three replies there is never a fourth, even if the last one calls a member', async () => {
    await open(['a', 'b', 'c', 'd']);
    const { messageId } = await stage.say('hello');
    expect(await stage.speak('@b what do you say?')).toBe('a');
    expect(await stage.speak('@a the same, and you?')).toBe('b');
    expect(await stage.speak('@d well?')).toBe('a');
    expect(await stage.lastTurn(messageId)).toMatchObject({ outcome: 'reply_budget', replies: 3 });
    await stage.pass(1_000_000);
    expect(stage.runCount).toBe(3);
  });

  it('C-12 a reaction opens no run', async () => {
    await open(['a']);
    const { messageId } = await stage.say('hello');
    await stage.speak('hi');
    await stage.core.channels.react(OWNER, 'team', messageId, { emoji: '👍' });
    await stage.pass(1_000_000);
    expect(stage.runCount).toBe(1);
  });

  it('C-15 a lease passes on after its deadline, and its run can publish nothing more', async () => {
    await open(['a', 'b']);
    await stage.say('hello');
    const late = await stage.next();
    expect(late.name).toBe('a');
    await stage.pass(60_000);
    expect(await stage.ended(late.run)).toBe('cancelled');
    await expect(
      late.run.context.journal.emitOutput([{ type: 'text', text: 'too late' }]),
    ).rejects.toMatchObject({ code: 'run_ended' });
    expect(await stage.speak('in time')).toBe('b');
    expect(await stage.messages()).toEqual(['owner: hello', 'b: in time']);
  });

  it('C-16 a lease is renewed if nobody waits; a run that is silent for too long is cancelled', async () => {
    await open(['a'], { silenceLimitMs: 150_000 });
    const { messageId } = await stage.say('hello');
    const { run } = await stage.next();
    await stage.pass(60_000);
    expect(await stage.leases()).toHaveLength(1);
    await run.context.journal.note('still', 'here');
    await stage.pass(100_000);
    expect(await stage.leases()).toHaveLength(1);
    await stage.pass(150_000);
    expect(await stage.ended(run)).toBe('cancelled');
    expect((await stage.core.runs.get(SYSTEM, run.runId)).cancelReason).toBe('timeout');
    expect((await stage.lastTurn(messageId)).outcome).toBe('silent');
  });

  it('C-17 a run that waits for an approval keeps its lease after the deadline', async () => {
    await open(['a', 'b']);
    const { messageId } = await stage.say('hello');
    const { run } = await stage.next();
    const approval = await run.context.journal.requestApproval({
      kind: 'tool',
      callId: 'call',
      tool: 'shell',
      title: 'make',
      input: {},
      inputHash: 'hash',
      reason: 'the mode asks',
    });
    await stage.pass(200_000);
    expect(await stage.leases()).toMatchObject([{ memberId: 'a', phase: 'waiting' }]);
    await stage.core.approvals.answer(OWNER, approval.approvalId, { decision: 'allow' });
    await until('the time of its lease starts again', async () =>
      (await stage.decisions(messageId)).some(({ trigger }) => trigger.type === 'answered'),
    );
    await stage.pass(59_000);
    expect(await stage.leases()).toMatchObject([{ memberId: 'a', phase: 'running' }]);
    await stage.pass(2_000);
    expect(await stage.ended(run)).toBe('cancelled');
  });

  it('C-18 a paused channel grants no turns; when it resumes, messages of people are answered', async () => {
    await open(['a', 'b']);
    await stage.say('first');
    const { run } = await stage.next();
    await stage.pause(true);
    await run.context.journal.emitOutput([{ type: 'text', text: 'one' }]);
    run.complete();
    await stage.ended(run);
    const waiting = await stage.say('second');
    await stage.pass(1_000_000);
    expect(stage.runCount).toBe(1);
    await stage.pause(false);
    const names = [(await stage.next()).name, (await stage.next()).name];
    expect(names.sort()).toEqual(['a', 'b']);
    expect((await stage.decisions(waiting.messageId)).at(-1)?.trigger.type).toBe('resumed');
  });

  it.each(['archived', 'deleted'] as const)(
    'C-19 a run whose channel is %s ends, and its session continues',
    async (how) => {
      await open(['a']);
      await stage.say('hello');
      const { run } = await stage.next();
      await run.context.journal.emitOutput([{ type: 'text', text: 'not published' }]);
      if (how === 'archived') await stage.core.channels.archive(OWNER, 'team');
      else await stage.core.channels.delete(OWNER, 'team');
      run.complete();
      expect(await stage.ended(run)).toBe('completed');
      await stage.core.inbox.submit(OWNER, stage.sessionOf('a'), {
        text: 'and now',
        rule: 'followup',
      });
      expect((await stage.next()).run.texts).toEqual(['and now']);
    },
  );

  it('C-22 a session that posts outside a turn is the author, and opens no turn', async () => {
    await open(['a', 'b']);
    const a = { kind: 'session', id: stage.sessionOf('a'), credentialId: 'session' } as const;
    const posted = await stage.core.channels.post(a, 'team', { text: '@b hello' });
    expect(posted.author).toMatchObject({ kind: 'agent', id: `session:${stage.sessionOf('a')}` });
    await stage.pass(1_000_000);
    expect(stage.runCount).toBe(0);
    expect(await stage.decisions(posted.messageId)).toEqual([]);
  });

  it('C-22 a session may not post in a channel during its turn there, nor more often than the hourly limit', async () => {
    await open(['a']);
    const a = { kind: 'session', id: stage.sessionOf('a'), credentialId: 'session' } as const;
    const post = (text: string) => stage.core.channels.post(a, 'team', { text });
    await stage.say('hello');
    const { run } = await stage.next();
    await expect(post('besides')).rejects.toMatchObject({ code: 'turn_in_progress' });
    run.complete();
    await stage.ended(run);
    for (let i = 0; i < LIMITS.messagesOfSessionPerHour; i++) await post(String(i));
    await expect(post('more')).rejects.toMatchObject({ code: 'too_many_messages', status: 429 });
    await stage.pass(3_600_000);
    await post('later');
  });

  it('C-26 tokens of a run of an earlier turn do not count in the next turn', async () => {
    await open(['a', 'b'], { tokensPerTurn: 1_000 });
    const { messageId } = await stage.say('hello');
    const { run } = await stage.next();
    await stage.say('and this?', { threadRootMessageId: messageId });
    const usage = { modelCalls: 1, inputTokens: 900, cachedInputTokens: 0, outputTokens: 100 };
    await run.context.journal.usage(usage, {});
    run.complete();
    await stage.ended(run);
    expect(await stage.lastTurn(messageId)).toMatchObject({ tokens: 0 });
    expect(await stage.speak('this')).toBe('b');
  });

  it('C-26 a turn whose tokens are spent ends, and nobody else starts', async () => {
    await open(['a', 'b'], { tokensPerTurn: 1_000 });
    const { messageId } = await stage.say('hello');
    const { run } = await stage.next();
    const usage = { modelCalls: 1, inputTokens: 900, cachedInputTokens: 0, outputTokens: 100 };
    await run.context.journal.usage(usage, {});
    await run.context.journal.emitOutput([{ type: 'text', text: 'expensive' }]);
    run.complete();
    await stage.ended(run);
    expect(await stage.lastTurn(messageId)).toMatchObject({
      outcome: 'token_budget',
      tokens: 1_000,
    });
    expect(stage.runCount).toBe(1);
  });

  it('C-26 tokens of a run that was superseded or timed out count too', async () => {
    await open(['a', 'b', 'c'], { tokensPerTurn: 1_000, silenceLimitMs: 150_000 });
    const { messageId } = await stage.say('hello');
    const usage = { modelCalls: 1, inputTokens: 300, cachedInputTokens: 0, outputTokens: 100 };
    const late = await stage.next();
    await late.run.context.journal.usage(usage, {});
    await stage.pass(60_000);
    expect(await stage.ended(late.run)).toBe('cancelled');
    expect(await stage.lastTurn(messageId)).toMatchObject({ tokens: 400 });
    const expensive = await stage.next();
    await expensive.run.context.journal.usage({ ...usage, inputTokens: 600 }, {});
    await stage.pass(60_000);
    expect(await stage.ended(expensive.run)).toBe('cancelled');
    expect(await stage.lastTurn(messageId)).toMatchObject({
      outcome: 'token_budget',
      tokens: 1_100,
    });
    expect(stage.runCount).toBe(2);
  });

  it('C-57 a member does not start during its cooldown, unless it is selected', async () => {
    await open(['a', 'b'], { maxAgentRepliesPerHumanMessage: 1 });
    const { messageId } = await stage.say('@a first');
    expect(await stage.speak('one')).toBe('a');
    await stage.say('@b second', { threadRootMessageId: messageId });
    expect(await stage.speak('two')).toBe('b');
    // The last speaker has no cooldown here, but it is muted; the other one cools down.
    await stage.join('b', { muted: true });
    await stage.say('third', { threadRootMessageId: messageId });
    expect(await stage.leases()).toEqual([]);
    await stage.pass(14_999);
    expect(await stage.leases()).toEqual([]);
    await stage.pass(1);
    expect(await stage.speak('three')).toBe('a');
    await stage.say('@a fourth', { threadRootMessageId: messageId });
    expect(await stage.speak('four')).toBe('a');
  });

  it('C-63 DU-12 starts three of fifty agents that all abstain, and records the decision about each', async () => {
    const names = Array.from({ length: 50 }, (_, i) => `m${String(i).padStart(2, '0')}`);
    await open(names);
    const { messageId } = await stage.say('hello');
    const { run } = await stage.next();
    const { members = [], memberCount } = run.context.items[0]?.delivery ?? {};
    expect([members.length, memberCount]).toEqual([8, 51]);
    expect(members.map(({ memberId }) => memberId)).toContain('owner');
    run.complete();
    for (let i = 0; i < 2; i++) await stage.speak();
    expect(await stage.lastTurn(messageId)).toMatchObject({ outcome: 'run_budget', replies: 0 });
    const decisions = await stage.decisions(messageId);
    for (const { candidates, others = [], candidateCount } of decisions) {
      const grouped = others.reduce((sum, { count }) => sum + count, 0);
      expect(candidates.length + grouped).toBe(candidateCount);
    }
    expect(decisions[0]?.others).toMatchObject([{ verdict: 'queued', reason: 'member' }]);
    await stage.pass(1_000_000);
    expect(stage.runCount).toBe(3);
  });

  it('C-65 an edit or a deletion opens no turn', async () => {
    await open(['a']);
    const { messageId } = await stage.say('hello');
    await stage.speak('hi');
    await stage.core.channels.edit(OWNER, 'team', messageId, { text: 'hello there' });
    await stage.core.channels.deleteMessage(OWNER, 'team', messageId);
    await stage.pass(1_000_000);
    expect(stage.runCount).toBe(1);
  });

  it('C-67 DU-15 publishes the last text of a run, unless it emitted something or wrote nothing', async () => {
    await open(['a'], { memberCooldownMs: 0 });
    for (const [emitted, last] of [
      [undefined, 'only words'],
      ['emitted', 'not these'],
      [undefined, ' '],
    ] as const) {
      await stage.say('hello');
      const { run } = await stage.next();
      if (emitted) await run.context.journal.emitOutput([{ type: 'text', text: emitted }]);
      run.complete(last);
      await stage.ended(run);
    }
    expect((await stage.messages()).filter((line) => line.startsWith('a:'))).toEqual([
      'a: only words',
      'a: emitted',
    ]);
    const outcomes = (await stage.leases(false)).map(({ outcome }) => outcome);
    expect(outcomes).toEqual(['abstained', 'spoke', 'spoke']);
  });

  it('C-31 a member that follows its agent is renamed with it; its messages keep the old name', async () => {
    await open(['manual']);
    const { sessionId } = await stage.core.sessions.create(OWNER, { agentId: 'helper' });
    await stage.core.channels.upsertMember(OWNER, 'team', {
      actorId: `session:${sessionId}`,
      memberId: 'following',
    });
    await stage.say('hello', { addressedMemberIds: ['following'] });
    await stage.speak('before');
    await stage.core.agents.setNickname('helper', 'Hilda');
    const names = (await stage.core.channels.members(OWNER, 'team')).map(
      ({ memberId, displayName }) => [memberId, displayName],
    );
    expect(names).toContainEqual(['following', 'Hilda']);
    expect(names).toContainEqual(['manual', 'manual']);
    const late = await stage.core.sessions.create(OWNER, { agentId: 'helper' });
    const joined = await stage.core.channels.upsertMember(OWNER, 'team', {
      actorId: `session:${late.sessionId}`,
      memberId: 'late',
    });
    expect(joined.displayName).toBe('Hilda');
    await stage.say('and now', { addressedMemberIds: ['following'] });
    await stage.speak('after');
    expect(
      (await stage.read()).flatMap(({ author }) =>
        author.kind === 'agent' ? [author.displayName] : [],
      ),
    ).toEqual(['helper', 'Hilda']);
    await stage.core.agents.setNickname('helper', null);
    const again = await stage.core.channels.members(OWNER, 'team');
    expect(again.find(({ memberId }) => memberId === 'late')?.displayName).toBe('helper');
  });

  it('C-59 a delivery of a long thread contains only the root and the last messages', async () => {
    await open(['a']);
    await stage.pause(true);
    const { messageId } = await stage.say('the root');
    for (let i = 0; i < 40; i++) {
      await stage.say(`${String(i)} ${'x'.repeat(5_000)}`, { threadRootMessageId: messageId });
    }
    await stage.pause(false);
    const { run } = await stage.next();
    const messages = run.context.items[0]?.delivery?.recentMessages ?? [];
    expect(messages).toHaveLength(12);
    expect(messages[0]?.text).toBe('the root');
    expect(messages.at(-1)).toMatchObject({
      isCut: true,
      text: expect.stringMatching(/^39 x/) as string,
    });
    expect(JSON.stringify(messages).length).toBeLessThan(40_000);
  });

  it('C-47 a run continues after a restart, and its thread is answered once', async () => {
    await open(['a']);
    await stage.say('hello');
    const { run } = await stage.next();
    await run.deliver();
    await run.context.journal.emitOutput([{ type: 'text', text: 'hi' }]);
    await stage.restart();
    const resumed = await stage.next();
    resumed.run.complete();
    await stage.ended(resumed.run);
    expect(await stage.messages()).toEqual(['owner: hello', 'a: hi']);
    await stage.pass(1_000_000);
    expect(stage.runCount).toBe(1);
  });
});
