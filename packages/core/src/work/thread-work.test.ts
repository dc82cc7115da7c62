import type { ThreadWork } from '@stoa/protocol';
import { STORE_ENGINES } from '@stoa/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { StimulusStage } from '../stimuli/stimulus-stage.fixture.js';

const MINUTE = 60_000;

describe.each(STORE_ENGINES)('the work of threads on $name', (engine) => {
  let stage: StimulusStage;
  const open = async (names: readonly string[], policy = {}): Promise<void> => {
    stage = await StimulusStage.open(engine, names, policy);
  };
  afterEach(async () => {
    await stage.close();
  });

  it('C-45 its status goes back only by an explicit reopening', async () => {
    await open([]);
    const { messageId: root } = await stage.turns.say('a subject');
    await stage.update(root, { status: 'completed' });
    await stage.post('one more thing', { threadRootMessageId: root, kind: 'task_completed' });
    expect((await stage.workOf(root)).status).toBe('completed');
    await expect(stage.update(root, { status: 'active' })).rejects.toMatchObject({
      code: 'status_regression',
    });
    expect(await stage.update(root, { status: 'active', reopen: true })).toMatchObject({
      status: 'active',
      reopenedAt: stage.turns.world.clock.now(),
    });
    await stage.post('it is done', { threadRootMessageId: root, kind: 'result_summary' });
    expect((await stage.workOf(root)).status).toBe('completed');
  });

  it('C-41 a review is stored and reported in the thread, and may open a turn', async () => {
    await open(['a']);
    const { messageId: root } = await stage.post('an idea', {}, stage.as('a'));
    const review = { verdict: 'changes_requested' as const, note: 'name it better' };
    expect(await stage.update(root ?? '', { review })).toMatchObject({
      status: 'reviewing',
      review: { ...review, by: 'human:owner' },
    });
    await stage.core.stimuli.tick();
    expect((await stage.turns.messages()).at(-1)).toBe(
      'system: Reviewed by owner, changes requested: name it better',
    );
    expect(await stage.turns.speak('better now')).toBe('a');
  });

  it('C-41 a supersession is reported in the thread, and opens no turn', async () => {
    await open(['a']);
    const { messageId: root } = await stage.turns.say('old', { addressedMemberIds: ['owner'] });
    const { messageId: newer } = await stage.turns.say('new', { addressedMemberIds: ['owner'] });
    expect(await stage.update(root, { supersededByMessageId: newer })).toMatchObject({
      status: 'superseded',
      supersededByMessageId: newer,
    });
    await stage.core.stimuli.tick();
    expect((await stage.turns.messages()).at(-1)).toContain(`superseded by ${newer}`);
    await stage.pass(10 * MINUTE);
    expect(stage.turns.runCount).toBe(0);
  });

  it('C-41 open work that is idle gets one follow-up, if the policy enables it', async () => {
    await open([], { threadIdleFollowUpMs: 3_600_000 });
    const pass = async (ms: number): Promise<void> => {
      stage.turns.world.clock.move(ms);
      await stage.core.tick();
    };
    const { messageId: root } = await stage.turns.say('a subject');
    const quiet = await stage.turns.say('nobody works on this');
    await stage.update(root, { status: 'active' });
    await pass(59 * MINUTE);
    expect(await stage.stimuli()).toEqual([]);
    await pass(2 * MINUTE);
    expect(await stage.stimuli()).toMatchObject([
      { kind: 'thread_idle_followup', state: 'dispatched', threadRootMessageId: root },
    ]);
    await pass(300 * MINUTE);
    expect(await stage.stimuli()).toHaveLength(1);
    await stage.turns.say('still at it', { threadRootMessageId: root });
    await pass(61 * MINUTE);
    expect(await stage.stimuli()).toHaveLength(2);
    expect((await stage.message(quiet.messageId)).replyCount).toBe(0);
  });

  it('C-44 a schedule created in a turn reports in its thread when it fires and when it is done, once each', async () => {
    await open(['a', 'b']);
    const { messageId: root } = await stage.turns.say('watch it', { addressedMemberIds: ['a'] });
    const { run } = await stage.turns.next();
    await run.deliver();
    const { runId, origin } = run.context;
    const { scheduleId } = await stage.core.schedules.createInRun(
      { sessionId: stage.turns.sessionOf('a'), runId, origin },
      {
        title: 'Watch',
        text: 'check it',
        cadence: { kind: 'interval', everyMs: MINUTE },
        overlap: 'skip',
        misfire: 'coalesce_once',
        maxFires: 2,
      },
    );
    run.complete();
    await stage.turns.ended(run);
    expect((await stage.workOf(root)).bindings).toMatchObject([
      { bindingKind: 'schedule', bindingRef: scheduleId },
    ]);
    for (const text of ['all is well', 'it fell over']) {
      stage.turns.world.clock.move(MINUTE);
      await stage.core.schedules.fireDue();
      await stage.core.stimuli.tick();
      expect(await stage.turns.speak(text)).toBe('a');
      await stage.core.stimuli.tick();
      // Other members may answer the result.
      expect(await stage.turns.speak()).toBe('b');
    }
    expect(await stage.turns.messages()).toEqual([
      'owner: watch it',
      'a: The schedule “Watch” fired; I am on it.',
      'a: all is well',
      'a: The schedule “Watch” fired; I am on it.',
      'a: it fell over',
    ]);
    const shown = (await stage.turns.read()).filter((message) => !message.supersededByMessageId);
    expect(shown).toHaveLength(3);
    expect(shown.every((m) => m.messageId === root || m.threadRootMessageId === root)).toBe(true);
    expect((await stage.workOf(root)).progressSnapshots.map((s) => s.progressKey)).toEqual([
      `schedule:${scheduleId}:fire`,
      `schedule:${scheduleId}:latest`,
    ]);
  });

  it('C-44 a schedule whose run fails reports only that it failed', async () => {
    await open(['a']);
    const { messageId: root } = await stage.turns.say('watch it');
    const { run } = await stage.turns.next();
    await stage.core.schedules.createInRun(
      { sessionId: stage.turns.sessionOf('a'), runId: run.runId, origin: run.context.origin },
      {
        title: 'Watch',
        text: 'check',
        cadence: { kind: 'interval', everyMs: MINUTE },
        overlap: 'skip',
        misfire: 'coalesce_once',
        maxFires: 1,
      },
    );
    run.complete();
    await stage.turns.ended(run);
    stage.turns.world.clock.move(MINUTE);
    await stage.core.schedules.fireDue();
    const scheduled = await stage.turns.next();
    const failure = { phase: 'agent' as const, code: 'internal', message: 'secret detail' };
    scheduled.run.end({ type: 'failed', failure });
    await stage.turns.ended(scheduled.run);
    await stage.core.stimuli.tick();
    expect((await stage.turns.messages()).at(-1)).toBe(
      'a: The work of the schedule “Watch” failed.',
    );
    expect((await stage.message(root)).replyCount).toBe(2);
  });

  it('C-46 a stimulus that was claimed before a crash is posted once after the restart; posted stimuli are not posted again', async () => {
    await open([]);
    const posted = await stage.post('first');
    const { stimulusId } = await stage.put('second', { kind: 'result_summary' });
    stage.turns.world.clock.move(10 * MINUTE);
    await stage.claimAndDie(stimulusId);
    await stage.restart();
    for (let n = 0; n < 3; n++) await stage.pass(MINUTE);
    expect(await stage.turns.messages()).toEqual(['system: first', 'system: second']);
    expect(await stage.get(posted.stimulusId)).toMatchObject({ messageId: posted.messageId });
  });

  it('C-46 two concurrent ticks post a stimulus once', async () => {
    await open([]);
    const { messageId: root } = await stage.turns.say('a subject');
    for (let n = 0; n < 5; n++) {
      // Without a progress key similar texts would be left out.
      const request = { threadRootMessageId: root, progressKey: `p${String(n)}` };
      await stage.put(`news ${String(n)}`, request);
    }
    await Promise.all([stage.core.stimuli.tick(), stage.core.stimuli.tick()]);
    expect(await stage.turns.messages()).toHaveLength(6);
    expect(new Set(await stage.states())).toEqual(new Set(['dispatched']));
  });

  it('C-46 a daemon that lost its claim posts nothing', async () => {
    await open([]);
    const { messageId: root } = await stage.turns.say('a subject');
    const request = { threadRootMessageId: root, progressKey: 'p' };
    const { stimulusId } = await stage.put('news', request);
    await stage.claimAndDie(stimulusId);
    await stage.restart();
    const late = (): Promise<void> => stage.dispatchLate(stimulusId, 1);
    await late();
    await stage.claimAndDie(stimulusId);
    await late();
    expect(await stage.turns.messages()).toEqual(['owner: a subject']);
    await stage.restart();
    await stage.core.stimuli.tick();
    await late();
    expect(await stage.turns.messages()).toEqual(['owner: a subject', 'system: news']);
  });

  it('C-48 a restart after a summary in the feed opens no turn', async () => {
    await open(['a']);
    await stage.post('what was done today', { kind: 'result_summary' });
    await stage.restart();
    for (let n = 0; n < 5; n++) await stage.pass(10 * MINUTE);
    expect(stage.turns.runCount).toBe(0);
    expect(await stage.turns.messages()).toEqual(['system: what was done today']);
  });

  it('C-50 the start repairs or drops markers and bindings of another thread and logs it; a second start repairs nothing', async () => {
    await open([]);
    const { messageId: root } = await stage.turns.say('this one');
    const { messageId: other } = await stage.turns.say('another one');
    const here = await stage.post('10%', { threadRootMessageId: root, progressKey: 'build' });
    const there = await stage.post('90%', { threadRootMessageId: other, progressKey: 'build' });
    const work = await stage.workOf(root);
    const snapshot = { updatedAt: 1, summaryDigest: 'd', latestMessageId: there.messageId ?? '' };
    const damaged: ThreadWork = {
      ...work,
      bindings: [{ bindingKind: 'schedule', bindingRef: `sch_${'0'.repeat(26)}`, boundAt: 1 }],
      progressSnapshots: [
        { ...snapshot, progressKey: 'build' },
        { ...snapshot, progressKey: 'gone' },
      ],
    };
    await stage.write({ type: 'thread_work_changed', data: { cause: 'stimulus', work: damaged } });
    await stage.restart();
    expect(await stage.workOf(root)).toMatchObject({
      bindings: [],
      progressSnapshots: [{ progressKey: 'build', latestMessageId: here.messageId }],
    });
    const repairs = stage.turns.daemon.diagnoses.map(({ details }) => details);
    for (const pass of ['repair_progress_snapshots', 'repair_work_bindings']) {
      expect(repairs).toContainEqual({ pass, channelId: 'team', threadRootMessageId: root });
    }
    expect((await stage.core.recovery.run()).map(({ repaired }) => repaired)).toEqual([
      0, 0, 0, 0, 0, 0,
    ]);
  });

  it('C-62 a run of a stimulus is bound to the thread until it ends, and needs no repair', async () => {
    await open(['a']);
    const { stimulusId } = await stage.put('an idea');
    await stage.core.stimuli.tick();
    const { threadRootMessageId: root = '' } = await stage.get(stimulusId);
    const { run } = await stage.turns.next();
    expect((await stage.workOf(root)).bindings).toMatchObject([
      { bindingKind: 'run', bindingRef: run.runId },
    ]);
    run.complete();
    await stage.turns.ended(run);
    expect((await stage.workOf(root)).bindings).toEqual([]);
    expect((await stage.core.recovery.run()).every(({ repaired }) => repaired === 0)).toBe(true);
  });

  it('C-62 a stimulus that was claimed when the daemon ended is pending again, and its attempt counts', async () => {
    await open([]);
    const { stimulusId } = await stage.put('an idea');
    await stage.claimAndDie(stimulusId);
    expect((await stage.get(stimulusId)).state).toBe('claimed');
    await stage.restart();
    expect(await stage.get(stimulusId)).toMatchObject({ state: 'pending', attempts: 1 });
    const message = 'a claimed stimulus was queued again';
    const details = { channelId: 'team', stimulusId };
    expect(stage.turns.daemon.diagnoses).toContainEqual({ message, details });
    await stage.core.stimuli.tick();
    expect((await stage.get(stimulusId)).state).toBe('dispatched');
  });

  it('C-62 a stimulus that ended the daemon five times is a dead letter', async () => {
    await open([]);
    const { stimulusId } = await stage.put('poison');
    for (let n = 0; n < 5; n++) {
      await stage.claimAndDie(stimulusId);
      await stage.restart();
    }
    expect(await stage.get(stimulusId)).toMatchObject({
      state: 'dead_letter',
      lastError: 'the daemon ended while it was being posted',
    });
  });

  it('C-62 the start restores work that is missing from its table, with its status', async () => {
    await open([]);
    const { messageId: root } = await stage.turns.say('a subject');
    await stage.post('half', {
      threadRootMessageId: root,
      kind: 'task_completed',
      progressKey: 'p',
    });
    await stage.update(root, { status: 'completed', review: { verdict: 'approved' } });
    await stage.core.stimuli.tick();
    const before = await stage.workOf(root);
    await stage.loseWork();
    expect(await stage.work()).toEqual([]);
    await stage.restart();
    expect(await stage.work()).toEqual([before]);
    expect(before.status).toBe('completed');
  });
});
