import type { Candidate, StampedDecision } from '@stoa/protocol';
import { describe, expect, it } from 'vitest';
import { decisionText } from './decision-text.js';
import { painter } from './paint.js';

const now = new Date(2026, 6, 15, 14, 3, 9).getTime();
const style = {
  paint: painter(false),
  now,
  width: undefined,
  names: new Map([
    ['cook', 'The cook\u001b'],
    ['adept', 'Adept'],
  ]),
  holders: new Map([['lse_1', 'cook']]),
};

const candidate = (
  memberId: string,
  verdict: Candidate['verdict'],
  reason: Candidate['reason'],
  [addressed, expertise]: readonly [number, number],
): Candidate => ({
  memberId,
  sessionId: `ses_${memberId}`,
  verdict,
  reason,
  score: [
    { by: 'addressed', value: addressed },
    { by: 'lastInThread', value: expertise },
  ],
});

const turn: StampedDecision['turn'] = {
  turnId: 'trn_1',
  threadRootMessageId: 'msg_1',
  originMessageId: 'msg_1',
  openedAt: now,
  selected: [],
  isForPeople: false,
  called: [],
  served: [],
  replies: 0,
  startedRuns: 1,
  tokens: 0,
};

const decision: StampedDecision = {
  seq: 12,
  at: now,
  trigger: { type: 'message', messageId: 'msg_1' },
  turn,
  candidateCount: 2,
  candidates: [
    candidate('cook', 'granted', 'addressed', [0, 9]),
    candidate('adept', 'queued', 'last_in_thread', [9, 0]),
    candidate('gone', 'skipped', 'session_ended', [9, 9]),
    candidate('other', 'skipped', 'muted', [9, 9]),
  ],
  granted: [
    { leaseId: 'lse_1', memberId: 'cook', sessionId: 'ses_cook', runId: 'run_1', deadline: now },
  ],
  renewed: [],
  ended: [],
};

describe('a decision', () => {
  it('C-20 says what a run failed of', () => {
    const failed: StampedDecision = {
      ...decision,
      ended: [{ leaseId: 'lse_1', outcome: 'failed', reason: 'acp_not_found' }],
    };
    expect(decisionText(failed, style)).toContain('failed: program not found');
  });

  it('tells what led to it, who was compared in which order and by what, and who got the turn', () => {
    expect(decisionText(decision, style).split('\n')).toEqual([
      '14:03:09 msg_1 opened a turn #12',
      '       MEMBER     VERDICT  REASON                     RANKED LOWER BY',
      '    1  The cook␛  granted  was addressed',
      '    2  Adept      queued   spoke last in this thread  addressed',
      '    3  gone       skipped  its session has ended      last in thread',
      '    4  other      skipped  is muted                   its id',
      '  → The cook␛ has the turn (run_1)',
    ]);
  });

  it('tells whose run ended and how, and why the turn is closed', () => {
    const ended: StampedDecision = {
      ...decision,
      trigger: { type: 'run_ended', runId: 'run_1' },
      turn: { ...turn, replies: 3, tokens: 1, closedAt: now, outcome: 'reply_budget' },
      candidates: [],
      candidateCount: 0,
      granted: [],
      ended: [{ leaseId: 'lse_1', outcome: 'spoke' }],
    };
    expect(decisionText(ended, style).split('\n')).toEqual([
      '14:03:09 the run of The cook␛ ended #12',
      '    no session is a member of this channel',
      '  → The cook␛ answered',
      '  → the turn is closed: the reply limit was reached (3 replies, 1 run, 1 token)',
    ]);
  });

  it('shows who keeps the turn, and when the thread is checked again', () => {
    const kept: StampedDecision = {
      ...decision,
      trigger: { type: 'time' },
      turn: { ...turn, wakeAt: now + 1_000 },
      granted: [],
      renewed: [{ leaseId: 'lse_1', deadline: now }],
    };
    expect(decisionText(kept, style).split('\n').slice(-2)).toEqual([
      '  → The cook␛ keeps the turn: nobody is waiting',
      '  → next check at 14:03:10, or earlier if something happens',
    ]);
  });
});
