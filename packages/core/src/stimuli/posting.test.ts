import { type AutonomyPolicy, DEFAULT_AUTONOMY_POLICY, type NewStimulus } from '@stoa/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { newWork } from '../work/changes.js';
import { type ChannelState, decidePosting } from './posting.js';

const NOW = 10_000_000;
const policy: AutonomyPolicy = DEFAULT_AUTONOMY_POLICY;
const stimulus = (known: Partial<NewStimulus> = {}): NewStimulus => ({
  stimulusId: 'stm_1',
  kind: 'agent_idea',
  scope: known.threadRootMessageId === undefined ? 'channel' : 'thread',
  visibilityHint: 'auto',
  content: 'news',
  addressedMemberIds: [],
  availableAt: 0,
  metadata: {},
  ...known,
});
const state = (known: Partial<ChannelState> = {}): ChannelState => ({
  paused: false,
  archived: false,
  senderIsHere: true,
  posted: [],
  rootPosts: [],
  activeRoots: 0,
  ...known,
});
const thread = { rootMessageId: 'root', isBusy: false };
const inThread = { threadRootMessageId: 'root' };

describe('the decision to post a stimulus', () => {
  it('C-37 it opens a thread, waits in the quiet period, and is cancelled at a limit', () => {
    const idea = stimulus();
    expect(decidePosting(idea, state(), policy, NOW)).toEqual({ do: 'post', as: 'root' });
    expect(
      decidePosting(idea, state({ rootPosts: [NOW - 1], activeRoots: 1 }), policy, NOW),
    ).toEqual({
      do: 'wait',
      until: NOW - 1 + policy.quietPeriodMsAfterRootPost,
      reason: 'quiet_period',
    });
    const rested = [NOW - 300_000];
    expect(decidePosting(idea, state({ rootPosts: rested, activeRoots: 1 }), policy, NOW)).toEqual({
      do: 'cancel',
      reason: 'active_root_limit',
    });
    const four = [1, 2, 3, 4].map((n) => NOW - n * 600_000);
    expect(decidePosting(idea, state({ rootPosts: four }), policy, NOW)).toEqual({
      do: 'cancel',
      reason: 'hourly_root_limit',
    });
  });

  it('a summary may open a thread beside an active one: its work is completed when it is posted', () => {
    const summary = stimulus({ kind: 'result_summary' });
    expect(decidePosting(summary, state({ activeRoots: 9 }), policy, NOW)).toMatchObject({
      as: 'root',
    });
  });

  it('it is held while its thread has an open turn, unless it wakes nobody', () => {
    const busy = state({ thread: { ...thread, isBusy: true } });
    expect(decidePosting(stimulus(inThread), state({ thread }), policy, NOW)).toMatchObject({
      as: 'reply',
    });
    expect(decidePosting(stimulus(inThread), busy, policy, NOW)).toEqual({
      do: 'hold',
      reason: 'thread_busy',
    });
    const summary = stimulus({ ...inThread, kind: 'result_summary' });
    expect(decidePosting(summary, busy, policy, NOW)).toMatchObject({ as: 'reply' });
  });

  it('C-38 with the hint main it is posted in the feed and refers to its thread, once in a quiet period', () => {
    const summary = stimulus({ ...inThread, kind: 'result_summary', visibilityHint: 'main' });
    expect(decidePosting(summary, state({ thread }), policy, NOW)).toMatchObject({
      as: 'promotion',
      thread,
    });
    const work = { ...newWork('team', 'root', 'human', 'active', 0), lastMainPromotionAt: NOW - 1 };
    expect(
      decidePosting(summary, state({ thread: { ...thread, work } }), policy, NOW),
    ).toMatchObject({
      do: 'wait',
      reason: 'quiet_period',
    });
  });

  it('it is cancelled when it has expired, its thread is gone or its sender has left', () => {
    const cases = [
      [stimulus({ expiresAt: NOW }), state(), 'expired'],
      [stimulus(inThread), state(), 'no_thread'],
      [stimulus({ senderSessionId: 'ses' }), state({ senderIsHere: false }), 'not_member'],
    ] as const;
    for (const [which, known, reason] of cases) {
      expect(decidePosting(which, known, policy, NOW)).toEqual({ do: 'cancel', reason });
    }
  });

  it('it is held while the channel is paused or archived', () => {
    for (const known of [{ paused: true }, { archived: true }]) {
      expect(decidePosting(stimulus(), state(known), policy, NOW).do).toBe('hold');
    }
  });

  it('no stimulus opens a thread beyond a limit or wakes a session in a busy thread', () => {
    const kinds = fc.constantFrom<NewStimulus['kind']>(
      'agent_idea',
      'schedule_result',
      'review_completed',
      'result_summary',
      'supersession_notice',
    );
    const roots = fc
      .array(fc.integer({ min: NOW - 3_600_000, max: NOW }), { maxLength: 6 })
      .map((times) => [...times].sort((a, b) => b - a));
    const property = fc.property(
      kinds,
      roots,
      fc.integer({ min: 0, max: 3 }),
      fc.boolean(),
      fc.boolean(),
      fc.constantFrom<NewStimulus['visibilityHint']>('auto', 'main', 'thread'),
      (kind, rootPosts, activeRoots, isInThread, isBusy, visibilityHint) => {
        const asked = stimulus({ kind, visibilityHint, ...(isInThread ? inThread : {}) });
        const known = state({
          rootPosts,
          activeRoots,
          ...(isInThread ? { thread: { ...thread, isBusy } } : {}),
        });
        const posting = decidePosting(asked, known, policy, NOW);
        expect(posting).toEqual(decidePosting(asked, known, policy, NOW));
        if (posting.do !== 'post') return;
        if (posting.as === 'root') {
          // A post that is exactly an hour old does not count.
          const inHour = rootPosts.filter((at) => at > NOW - 3_600_000);
          expect(inHour.length).toBeLessThan(policy.maxAutonomousRootPostsPerHour);
          expect(
            (rootPosts[0] ?? -Infinity) + policy.quietPeriodMsAfterRootPost,
          ).toBeLessThanOrEqual(NOW);
        }
        const isQuiet = kind === 'result_summary' || kind === 'supersession_notice';
        if (posting.as === 'reply' && isBusy) expect(isQuiet).toBe(true);
      },
    );
    fc.assert(property, { numRuns: 500 });
  });
});
