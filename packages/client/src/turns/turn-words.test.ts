import type { Candidate, Lease, StampedDecision } from '@stoa/protocol';
import { memberTag } from '@stoa/protocol/constants';
import { describe, expect, it } from 'vitest';
import { decisionWords, lagWords, verdictWords } from './decision-words.js';
import { type EndedTurn, leaseOutcomeWords, outcomeLines } from './outcome-words.js';
import { decisionBehind, waitingWords } from './waiting-words.js';

const candidate = (
  memberId: string,
  verdict: Candidate['verdict'],
  reason: Candidate['reason'],
): Candidate => ({ memberId, sessionId: `ses_${memberId}`, verdict, reason, score: [] });

const decision: StampedDecision = {
  seq: 12,
  at: 0,
  trigger: { type: 'message', messageId: 'msg_1' },
  turn: {
    turnId: 'trn_1',
    threadRootMessageId: 'msg_1',
    originMessageId: 'msg_1',
    openedAt: 0,
    selected: [],
    isForPeople: false,
    called: [],
    served: [],
    replies: 0,
    startedRuns: 1,
    tokens: 0,
    wakeAt: 5,
  },
  candidateCount: 4,
  candidates: [
    candidate('cook', 'granted', 'addressed'),
    candidate('adept', 'queued', 'expertise'),
    candidate('other', 'queued', 'member'),
    candidate('tired', 'skipped', 'cooling_down'),
  ],
  granted: [
    { leaseId: 'lse_1', memberId: 'cook', sessionId: 'ses_cook', runId: 'run_1', deadline: 9 },
  ],
  renewed: [],
  ended: [],
};

const lease: Lease = {
  leaseId: 'lse_1',
  turnId: 'trn_1',
  threadRootMessageId: 'msg_1',
  originMessageId: 'msg_1',
  memberId: 'cook',
  sessionId: 'ses_cook',
  runId: 'run_1',
  phase: 'running',
  grantedAt: 0,
  deadline: 9,
};

const reader = { names: new Map([['cook', 'The cook']]), timeOf: (at: number) => `t${at}` };

describe('a thread that waits', () => {
  it('shows who has the turn, who follows, and why not now', () => {
    expect(waitingWords({ decision, leases: [lease], isPaused: false }, reader)).toEqual([
      'The cook has the turn.',
      'adept is next, because it knows what this is about; it waits because The cook has the turn.',
      'other follows, because it is a member; it waits because The cook has the turn.',
      'tired spoke here a moment ago and is in its cooldown.',
    ]);
  });

  it('shows when it is checked again if nobody has the turn, and that nobody gets it in a paused channel', () => {
    const resting = { ...decision, candidates: [candidate('tired', 'skipped', 'cooling_down')] };
    expect(waitingWords({ decision: resting, leases: [], isPaused: false }, reader).at(-1)).toBe(
      'Next check at t5, or when something happens.',
    );
    expect(waitingWords({ decision: resting, leases: [], isPaused: true }, reader)).toEqual([
      'tired spoke here a moment ago and is in its cooldown.',
      'The channel is paused: nobody gets the turn.',
    ]);
    expect(waitingWords({ decision, leases: [], isPaused: true }, reader)[0]).toBe(
      'adept is next, because it knows what this is about; it waits because the channel is paused.',
    );
  });

  it('shows nothing if its turn is closed', () => {
    const closed = { ...decision, turn: { ...decision.turn, outcome: 'answered' as const } };
    expect(waitingWords({ decision: closed, leases: [], isPaused: false }, reader)).toEqual([]);
  });
});

describe('the decision behind a message', () => {
  it('is the last decision before it that gave its author the turn', () => {
    const by = (seq: number, sessionId: string): StampedDecision => ({
      ...decision,
      seq,
      granted: [{ leaseId: `lse_${seq}`, memberId: 'm', sessionId, runId: 'run_1', deadline: 0 }],
    });
    const newestFirst = [by(30, 'ses_cook'), by(20, 'ses_adept'), by(10, 'ses_cook')];
    const message = { seq: 25, author: { id: 'session:ses_cook' } };
    expect(decisionBehind(newestFirst, message)?.seq).toBe(10);
    expect(decisionBehind(newestFirst, { ...message, seq: 5 })).toBeUndefined();
  });
});

describe('the brief form of a decision', () => {
  const brief = { ...reader, holders: new Map([['lse_1', 'cook']]), isBrief: true };

  it('has no ids: its cause and its result', () => {
    const { trigger, consequences } = decisionWords(decision, brief);
    expect([trigger, consequences[0]]).toEqual([
      'a message opened a turn',
      'The cook has the turn',
    ]);
    const over: StampedDecision = {
      ...decision,
      trigger: { type: 'run_ended', runId: 'run_1' },
      turn: { ...decision.turn, replies: 1, outcome: 'answered' },
      granted: [],
      ended: [
        { leaseId: 'lse_1', outcome: 'abstained' },
        { leaseId: 'lse_2', outcome: 'failed', reason: 'acp_not_found' },
      ],
    };
    const words = decisionWords(over, brief);
    expect([words.trigger, ...words.consequences]).toEqual([
      'the run of The cook ended',
      'The cook passed: had nothing to say',
      'an agent failed: program not found',
      'the turn is closed: answered (1 reply, 1 run, 0 tokens)',
    ]);
  });
});

describe('the end of a turn', () => {
  it.each<[EndedTurn, string]>([
    [{ outcome: 'spoke' }, 'answered'],
    [{ outcome: 'reacted' }, 'reacted'],
    [{ outcome: 'abstained' }, 'passed: had nothing to say'],
    [{ outcome: 'abstained', unpublishedChars: 412 }, 'wrote 412 characters and passed'],
    [
      { outcome: 'failed', reason: 'model_unavailable', detail: 'open/m answered 500' },
      'failed: open/m answered 500',
    ],
    [{ outcome: 'failed', reason: 'acp_not_found' }, 'failed: program not found'],
    [{ outcome: 'failed', reason: 'tool_loop' }, 'failed: tool loop'],
    [
      { outcome: 'unpublished', reason: 'not_member', unpublishedChars: 7 },
      'wrote 7 characters that could not be published: it is no longer a member',
    ],
    [{ outcome: 'cancelled', reason: 'cancel_command' }, 'was cancelled (cancel command)'],
    [{ outcome: 'interrupted' }, 'was interrupted'],
    [{ outcome: 'timeout' }, 'was stopped: it was silent for too long'],
  ])('DU-19 %j is described', (ended, words) => {
    expect(leaseOutcomeWords(ended)).toBe(words);
  });
});

describe('how the newest turn of a thread ended', () => {
  const ended = (...ends: StampedDecision['ended']): StampedDecision => ({
    ...decision,
    ended: ends,
  });
  const passed = { leaseId: 'lse_1', memberId: 'cook', outcome: 'abstained' as const };
  const failed = { leaseId: 'lse_2', memberId: 'gone', outcome: 'failed' as const, reason: 'lost' };
  const spoke = { leaseId: 'lse_3', memberId: 'adept', outcome: 'spoke' as const };

  it('DU-19 names members without a visible result, oldest first, and those who passed if nobody answered', () => {
    const names = reader.names;
    const earlier = {
      ...ended({ ...failed, memberId: 'earlier' }),
      turn: { ...decision.turn, turnId: 'trn_0' },
    };
    expect(outcomeLines([ended(failed), ended(passed), earlier], names)).toEqual([
      'The cook passed: had nothing to say',
      'gone failed: lost',
    ]);
    const answered = { ...ended(spoke), turn: { ...decision.turn, replies: 1 } };
    expect(outcomeLines([answered, ended(failed), ended(passed)], names)).toEqual([
      'gone failed: lost',
    ]);
    expect(outcomeLines([ended({ ...spoke, reason: 'lost' })], names)).toEqual([
      'adept answered, and failed afterwards',
    ]);
    expect(outcomeLines([], names)).toEqual([]);
  });
});

describe('the order of two candidates', () => {
  it('follows the first part of the score in which they differ', () => {
    const part = (by: string, value: number) => ({ by, value });
    const spoke = part('lastSpoke', -5);
    expect(lagWords([part('lastInThread', -1)], [part('expertise', -2)])).toBe('last in thread');
    expect(lagWords([part('expertise', -2), spoke], [part('expertise', -1)])).toBe('expertise');
    expect(lagWords([spoke], [spoke])).toBe('its id');
  });
});

describe('the decision about one of many', () => {
  const grouped: StampedDecision = {
    ...decision,
    others: [
      { verdict: 'queued', reason: 'member', count: 190, memberIds: [] },
      { verdict: 'skipped', reason: 'muted', count: 2, memberIds: ['quiet', 'still'] },
    ],
  };

  it('DU-12 is known for everybody: by its own entry, by its group, or as one of the largest group', () => {
    expect(verdictWords(grouped, 'cook')).toBe('granted: was addressed');
    expect(verdictWords(grouped, 'still')).toBe('skipped: is muted');
    expect(verdictWords(grouped, 'somebody')).toBe('queued: is a member');
    expect(verdictWords(decision, 'somebody')).toBe('was not compared');
    const many = { verdict: 'skipped' as const, reason: 'served' as const, count: 80 };
    const unclear = { ...grouped, others: [...(grouped.others ?? []), { ...many, memberIds: [] }] };
    expect(verdictWords(unclear, 'somebody')).toBe(
      'queued: is a member, or skipped: already had its turn',
    );
  });

  it('DU-12 is found by its tag, unless a group lists its id', () => {
    const muted = { verdict: 'skipped' as const, reason: 'muted' as const, count: 100 };
    const memberTags = memberTag('quiet') + memberTag('listed').repeat(99);
    const queued = { verdict: 'queued' as const, reason: 'member' as const, count: 190 };
    const tagged = {
      ...decision,
      others: [
        { ...queued, memberIds: ['listed'] },
        { ...muted, memberIds: [], memberTags },
      ],
    };
    expect(verdictWords(tagged, 'quiet')).toBe('skipped: is muted');
    expect(verdictWords(tagged, 'listed')).toBe('queued: is a member');
    expect(verdictWords(tagged, 'somebody')).toBe('queued: is a member');
  });

  it('DU-12 is described in groups if everybody is described', () => {
    expect(decisionWords(grouped, { ...reader, holders: new Map() }).others).toEqual([
      '190 queued: is a member',
      '2 skipped: is muted (quiet, still)',
    ]);
    expect(waitingWords({ decision: grouped, leases: [lease], isPaused: false }, reader)).toContain(
      '190 more waiting.',
    );
  });
});
