import type { AutonomyPolicySettings, StimulusKind } from '@stoa/protocol';
import { OWNER, STORE_ENGINES } from '@stoa/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { StimulusStage } from './stimulus-stage.fixture.js';

const MINUTE = 60_000;

describe.each(STORE_ENGINES)('stimuli of a channel on $name', (engine) => {
  let stage: StimulusStage;
  const open = async (names: readonly string[], policy?: AutonomyPolicySettings): Promise<void> => {
    stage = await StimulusStage.open(engine, names, policy);
  };
  afterEach(async () => {
    await stage.close();
  });

  it('C-35 a stimulus for a thread without a root, for the channel with a root, or for a reply is refused', async () => {
    await open([]);
    const root = await stage.turns.say('a subject');
    const reply = await stage.turns.say('more', { threadRootMessageId: root.messageId });
    const refused = (request: object, code: string) =>
      expect(stage.put('news', request)).rejects.toMatchObject({ code });
    await refused({ scope: 'thread' }, 'invalid_stimulus');
    await refused({ scope: 'channel', threadRootMessageId: root.messageId }, 'invalid_stimulus');
    await refused({ threadRootMessageId: reply.messageId }, 'thread_mismatch');
    await refused({ threadRootMessageId: `msg_${'0'.repeat(26)}` }, 'message_not_found');
    await refused({ addressedMemberIds: ['nobody'] }, 'unknown_member');
    expect(await stage.stimuli()).toEqual([]);
  });

  it('C-36 of two waiting markers of the same progress, the newer is posted', async () => {
    await open([]);
    const { messageId: root } = await stage.turns.say('build it');
    const first = await stage.put('10%', { threadRootMessageId: root, progressKey: 'build' });
    const second = await stage.post('60%', { threadRootMessageId: root, progressKey: 'build' });
    expect(await stage.get(first.stimulusId)).toMatchObject({
      state: 'superseded',
      supersededByStimulusId: second.stimulusId,
    });
    expect(await stage.turns.messages()).toEqual(['owner: build it', 'system: 60%']);
  });

  it('C-36 a marker that is shown is superseded by a newer one, and the log keeps both', async () => {
    await open([]);
    const { messageId: root } = await stage.turns.say('build it');
    const first = await stage.post('10%', { threadRootMessageId: root, progressKey: 'build' });
    const second = await stage.post('60%', { threadRootMessageId: root, progressKey: 'build' });
    expect(await stage.message(first.messageId)).toMatchObject({
      supersededByMessageId: second.messageId,
      inputItems: [{ type: 'text', text: '10%' }],
    });
    expect((await stage.message(second.messageId)).supersededByMessageId).toBeUndefined();
    const { progressSnapshots } = await stage.workOf(root);
    expect(progressSnapshots).toMatchObject([
      { progressKey: 'build', latestMessageId: second.messageId },
    ]);
  });

  it('C-36 a session supersedes only its own stimuli, even with the same keys', async () => {
    await open(['a']);
    const { messageId: root } = await stage.turns.say('build it', {
      addressedMemberIds: ['owner'],
    });
    const keys = {
      kind: 'result_summary' as const,
      threadRootMessageId: root,
      progressKey: 'build',
      dedupeKey: `review:${root}`,
    };
    const shown = await stage.post('10%', keys);
    const waiting = await stage.put('60%', keys);
    const by = {
      kind: 'session',
      id: stage.turns.sessionOf('a'),
      credentialId: 'session',
    } as const;
    const request = {
      ...keys,
      scope: 'thread',
      visibilityHint: 'auto',
    } as const;
    await stage.core.stimuli.create(by, 'team', { ...request, content: 'done' });
    await stage.core.stimuli.tick();
    expect(await stage.get(waiting.stimulusId)).toMatchObject({ state: 'dispatched' });
    expect(await stage.turns.messages()).toEqual([
      'owner: build it',
      'system: 10%',
      'system: 60%',
      'a: done',
    ]);
    const later = await stage.get(waiting.stimulusId);
    expect((await stage.message(shown.messageId)).supersededByMessageId).toBe(later.messageId);
    expect((await stage.message(later.messageId)).supersededByMessageId).toBeUndefined();
  });

  it('C-37 a second root waits for the end of the quiet period, and is cancelled if the first is still active', async () => {
    await open([]);
    await stage.post('one idea');
    const other = await stage.post('another idea');
    expect(other).toMatchObject({ state: 'pending', reason: 'quiet_period' });
    await stage.pass(5 * MINUTE - 1);
    expect((await stage.get(other.stimulusId)).state).toBe('pending');
    await stage.pass(1);
    expect(await stage.states()).toEqual(['dispatched', 'cancelled active_root_limit']);
  });

  it('C-37 a second root is posted after the quiet period if the first is not active; a fifth in an hour is cancelled', async () => {
    await open([], { maxActiveAutonomousRoots: 50 });
    for (const n of [1, 2, 3, 4]) {
      expect((await stage.post(`idea ${String(n)}`)).state).toBe('dispatched');
      await stage.pass(6 * MINUTE);
    }
    expect(await stage.post('idea 5')).toMatchObject({
      state: 'cancelled',
      reason: 'hourly_root_limit',
    });
    await stage.pass(60 * MINUTE);
    expect((await stage.post('idea 6')).state).toBe('dispatched');
    expect(await stage.feed()).toEqual(['idea 1', 'idea 2', 'idea 3', 'idea 4', 'idea 6']);
  });

  it('C-38 C-58 a result for the feed is posted there, refers to its thread, completes the work and wakes nobody', async () => {
    await open(['a']);
    const { messageId: root } = await stage.turns.say('do it', { addressedMemberIds: ['a'] });
    await stage.turns.speak('on it');
    await stage.pass(MINUTE);
    await stage.post('half', {
      threadRootMessageId: root,
      kind: 'result_summary',
      progressKey: 'p',
    });
    const result = await stage.post('it is done', {
      kind: 'result_summary',
      threadRootMessageId: root,
      visibilityHint: 'main',
    });
    expect(await stage.message(result.messageId)).toMatchObject({
      author: { kind: 'system' },
      metadata: { canonicalThreadRootMessageId: root, stimulusKind: 'result_summary' },
    });
    expect((await stage.message(result.messageId)).threadRootMessageId).toBeUndefined();
    expect(await stage.feed()).toEqual(['do it', 'it is done']);
    expect(await stage.workOf(root)).toMatchObject({ topicKind: 'human', status: 'completed' });
    await stage.pass(10 * MINUTE);
    expect(stage.turns.runCount).toBe(1);
  });

  it('C-39 the 33rd that would wait is refused, unless it supersedes another', async () => {
    await open([]);
    await stage.turns.pause(true);
    for (let n = 0; n < 32; n++)
      await stage.put(`idea ${String(n)}`, { dedupeKey: `i${String(n)}` });
    await expect(stage.put('one more')).rejects.toMatchObject({ code: 'too_many_stimuli' });
    await stage.put('the same, better', { dedupeKey: 'i7' });
    const waiting = (await stage.stimuli()).filter(({ state }) => state === 'pending');
    expect(waiting).toHaveLength(32);
  });

  it('C-39 a cancelled stimulus cannot be replayed while the queue is full', async () => {
    await open([], { maxPendingStimuli: 1 });
    await stage.turns.pause(true);
    const { stimulusId } = await stage.put('an idea');
    await stage.core.stimuli.cancel(OWNER, 'team', stimulusId);
    const other = await stage.put('another');
    const replay = () => stage.core.stimuli.replay(OWNER, 'team', stimulusId);
    await expect(replay()).rejects.toMatchObject({ code: 'too_many_stimuli' });
    await stage.core.stimuli.cancel(OWNER, 'team', other.stimulusId);
    expect((await replay()).state).toBe('pending');
  });

  it('C-64 a stimulus leads to no more replies than a message of a person may', async () => {
    await open(['a', 'b'], { maxAgentRepliesPerHumanMessage: 1, maxAgentRepliesPerStimulus: 2 });
    const { messageId: root } = await stage.turns.say('begin', { addressedMemberIds: ['owner'] });
    await stage.post('one', { threadRootMessageId: root, kind: 'task_completed' });
    await stage.turns.speak('1');
    await stage.pass(60 * MINUTE);
    expect(stage.turns.runCount).toBe(1);
  });

  it('C-40 an idea of a session is posted in its name; others may answer, the sender may not', async () => {
    await open(['a', 'b', 'c']);
    const { messageId } = await stage.post('we could cache this', {}, stage.as('a'));
    expect((await stage.message(messageId)).author).toMatchObject({
      kind: 'agent',
      id: `session:${stage.turns.sessionOf('a')}`,
      displayName: 'a',
    });
    expect(await stage.turns.speak('good idea')).toBe('b');
    expect(await stage.turns.speak()).toBe('c');
    const [decision] = await stage.turns.decisions(messageId ?? '');
    expect(decision?.candidates.find(({ memberId }) => memberId === 'a')).toMatchObject({
      verdict: 'skipped',
      reason: 'sender',
    });
    expect(stage.turns.runCount).toBe(2);
    expect(await stage.workOf(messageId ?? '')).toMatchObject({
      topicKind: 'autonomous_root',
      status: 'active',
      ownerSessionId: stage.turns.sessionOf('b'),
    });
  });

  it('C-40 a session is refused in a channel that it is no member of, and with a kind that sessions may not create', async () => {
    await open(['a']);
    const outside = await stage.core.sessions.create(OWNER, { agentId: 'helper' });
    const by = { kind: 'session' as const, id: outside.sessionId, credentialId: 'session' };
    await expect(stage.put('hello', {}, by)).rejects.toMatchObject({ code: 'not_member' });
    await expect(
      stage.put('done', { kind: 'task_completed' }, stage.as('a')),
    ).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('C-42 a failing stimulus is retried at growing intervals, is a dead letter after five attempts, and can be replayed', async () => {
    await open(['a']);
    const broken = breakDriver(stage);
    const { stimulusId } = await stage.post('an idea');
    expect(await stage.get(stimulusId)).toMatchObject({
      state: 'pending',
      attempts: 1,
      reason: 'failed',
      lastError: 'no capabilities today',
    });
    for (const wait of [1_000, 2_000, 4_000, 8_000]) {
      const before = (await stage.get(stimulusId)).attempts;
      await stage.pass(wait - 1);
      expect((await stage.get(stimulusId)).attempts).toBe(before);
      await stage.pass(1);
    }
    expect(await stage.get(stimulusId)).toMatchObject({
      state: 'dead_letter',
      attempts: 5,
      lastError: 'no capabilities today',
    });
    expect(await stage.turns.messages()).toEqual([]);
    await stage.pass(60 * MINUTE);
    expect((await stage.get(stimulusId)).state).toBe('dead_letter');
    broken.repair();
    await stage.core.stimuli.replay(OWNER, 'team', stimulusId);
    await stage.core.stimuli.tick();
    expect((await stage.get(stimulusId)).state).toBe('dispatched');
    expect(await stage.turns.messages()).toEqual(['system: an idea']);
  });

  it('C-43 both spellings of an idle follow-up are accepted and stored as the first', async () => {
    await open([]);
    const { messageId: root } = await stage.turns.say('a subject');
    for (const kind of ['thread_idle_followup', 'thread_idle_follow_up'] as const) {
      const request = { threadRootMessageId: root, kind: kind as StimulusKind };
      expect((await stage.put(`well? ${kind}`, request)).kind).toBe('thread_idle_followup');
    }
  });

  it('C-64 a stimulus opens a small budget of its own and does not renew that of a person', async () => {
    await open(['a', 'b', 'c', 'd'], { memberCooldownMs: 0 });
    const { messageId: root } = await stage.turns.say('go');
    for (const text of ['1', '2', '3']) await stage.turns.speak(text);
    expect((await stage.turns.lastTurn(root)).outcome).toBe('reply_budget');
    await stage.post('news', { threadRootMessageId: root, kind: 'task_completed' });
    await stage.turns.speak('@b 4');
    await stage.turns.speak('@a 5');
    expect(await stage.turns.lastTurn(root)).toMatchObject({
      stimulus: { replies: 2 },
      replies: 2,
      outcome: 'reply_budget',
    });
    await stage.pass(60 * MINUTE);
    expect(stage.turns.runCount).toBe(5);
  });

  it('C-64 after the allowed number of replies since the last message of a person, stimuli are posted and wake nobody', async () => {
    await open(['a', 'b'], { maxAutonomousRepliesSinceHuman: 3, memberCooldownMs: 0 });
    const { messageId: root } = await stage.turns.say('begin', { addressedMemberIds: ['owner'] });
    const news = { threadRootMessageId: root, kind: 'task_completed' as const };
    await stage.post('one', news);
    await stage.turns.speak('1');
    await stage.turns.speak('2');
    await stage.post('two', news);
    await stage.turns.speak('3');
    await stage.post('three', news);
    expect(await stage.states()).toEqual(['dispatched', 'dispatched', 'dispatched']);
    expect(stage.turns.runCount).toBe(3);
    await stage.turns.say('go on', { addressedMemberIds: ['owner'], threadRootMessageId: root });
    await stage.post('four', news);
    await stage.turns.next();
    expect(stage.turns.runCount).toBe(4);
  });

  it('C-64 two sessions that keep creating ideas for each other stop at the limit', async () => {
    await open(['a', 'b'], { maxAutonomousRepliesSinceHuman: 4, memberCooldownMs: 0 });
    const { messageId: root } = await stage.turns.say('begin', { addressedMemberIds: ['owner'] });
    const idea = (n: number, name: string) =>
      stage.post(`idea ${String(n)}`, { threadRootMessageId: root }, stage.as(name));
    let name = 'a';
    for (let n = 0; n < 4; n++) {
      await idea(n, name);
      name = await stage.turns.speak();
    }
    await idea(4, name);
    await stage.pass(60 * MINUTE);
    expect(stage.turns.runCount).toBe(4);
    expect((await stage.turns.messages()).at(-1)).toBe(`${name}: idea 4`);
  });

  it('a session creates at most twenty stimuli in an hour', async () => {
    await open(['a']);
    await stage.turns.pause(true);
    const put = (n: number) => stage.put('an idea', { dedupeKey: `i${String(n)}` }, stage.as('a'));
    for (let n = 0; n < 20; n++) await put(n);
    await expect(put(20)).rejects.toMatchObject({ code: 'too_many_stimuli' });
    await stage.pass(60 * MINUTE);
    await put(21);
  });

  it('a held stimulus is posted when the turn ends, unless it has expired', async () => {
    await open(['a']);
    const { messageId: root } = await stage.turns.say('hello');
    const request = { threadRootMessageId: root, kind: 'task_completed' as const };
    const waiting = await stage.post('done', request);
    const expiresAt = stage.turns.world.clock.now() + MINUTE;
    const short = await stage.post('for a minute', { ...request, expiresAt });
    expect(waiting.state).toBe('pending');
    await stage.pass(MINUTE);
    expect(await stage.get(short.stimulusId)).toMatchObject({
      state: 'cancelled',
      reason: 'expired',
    });
    await stage.turns.speak('hi');
    await stage.core.stimuli.tick();
    expect((await stage.get(waiting.stimulusId)).state).toBe('dispatched');
  });

  it('the same text is posted once in ten minutes', async () => {
    await open([]);
    const { messageId: root } = await stage.turns.say('a subject');
    const request = { threadRootMessageId: root, kind: 'task_completed' as const };
    const first = await stage.post('the build is red', request);
    const again = await stage.post('the build is red', request);
    expect(again).toMatchObject({ state: 'coalesced', messageId: first.messageId });
    await stage.pass(10 * MINUTE);
    expect((await stage.post('the build is red', request)).state).toBe('dispatched');
  });

  it('an idea of an open initiative is posted in its thread', async () => {
    await open([]);
    const first = await stage.post('make it faster', { dedupeKey: 'speed' });
    const second = await stage.post('by caching', { dedupeKey: 'speed' });
    expect(second).toMatchObject({
      state: 'dispatched',
      threadRootMessageId: first.messageId,
    });
    expect(await stage.feed()).toEqual(['make it faster']);
    await stage.update(first.messageId ?? '', { status: 'completed' });
    expect((await stage.post('again', { dedupeKey: 'speed' })).reason).toBe('quiet_period');
  });

  it('a paused channel posts and writes nothing; its stimuli are posted when it is resumed', async () => {
    await open([]);
    await stage.turns.pause(true);
    const { stimulusId } = await stage.post('an idea');
    const { headSeq } = await stage.core.channels.get(OWNER, 'team');
    await stage.pass(60 * MINUTE);
    expect((await stage.core.channels.get(OWNER, 'team')).headSeq).toBe(headSeq);
    await stage.turns.pause(false);
    await stage.core.stimuli.tick();
    expect((await stage.get(stimulusId)).state).toBe('dispatched');
  });

  it('its creator cancels and replays a stimulus, but not one that was posted', async () => {
    await open([]);
    await stage.turns.pause(true);
    const { stimulusId } = await stage.put('an idea');
    const taken = await stage.core.stimuli.cancel(OWNER, 'team', stimulusId);
    expect(taken).toMatchObject({ state: 'cancelled', reason: 'cancelled' });
    await stage.turns.pause(false);
    await stage.core.stimuli.replay(OWNER, 'team', stimulusId);
    await stage.core.stimuli.tick();
    for (const call of ['cancel', 'replay'] as const) {
      await expect(stage.core.stimuli[call](OWNER, 'team', stimulusId)).rejects.toMatchObject({
        code: 'stimulus_settled',
      });
    }
  });

  it('of the stimuli that ended, the newest 200 are kept', async () => {
    await open([]);
    const { messageId: root } = await stage.turns.say('a subject');
    for (let n = 0; n < 206; n++) {
      const request = { threadRootMessageId: root, progressKey: 'p' };
      await stage.put(String(n), request);
    }
    await stage.core.stimuli.tick();
    const kept = await stage.stimuli();
    expect(kept).toHaveLength(200);
    expect(kept.at(-1)).toMatchObject({ content: '205', state: 'dispatched' });
  });
});

/** Makes opening a turn fail. */
function breakDriver(stage: StimulusStage): { repair: () => void } {
  const { driver } = stage.turns.daemon;
  const sound = driver.capabilities;
  Object.defineProperty(driver, 'capabilities', {
    configurable: true,
    get: () => {
      throw new Error('no capabilities today');
    },
  });
  return {
    repair: () => {
      Object.defineProperty(driver, 'capabilities', { configurable: true, value: sound });
    },
  };
}
