import type { Stamped, Turn, TurnDecision } from '@stoa/protocol';
import { describe, expect, it } from 'vitest';
import { isShown, storyOf, type TurnEntry } from './story.js';

const TURN: Turn = {
  turnId: 'trn_1',
  threadRootMessageId: 'msg_1',
  originMessageId: 'msg_1',
  openedAt: 1_000,
  selected: [],
  isForPeople: false,
  called: [],
  served: [],
  replies: 0,
  startedRuns: 1,
  tokens: 0,
};

const opened: TurnDecision = {
  trigger: { type: 'message', messageId: 'msg_1' },
  turn: TURN,
  candidates: [
    { memberId: 'baker', sessionId: 'ses_1', verdict: 'granted', reason: 'expertise', score: [] },
  ],
  candidateCount: 1,
  granted: [
    { leaseId: 'lse_1', memberId: 'baker', sessionId: 'ses_1', runId: 'run_1', deadline: 9_000 },
  ],
  renewed: [],
  ended: [],
};
const closed: TurnDecision = {
  ...opened,
  trigger: { type: 'run_ended', runId: 'run_1' },
  turn: { ...TURN, replies: 1, closedAt: 3_000, outcome: 'answered' },
  granted: [],
  ended: [{ leaseId: 'lse_1', outcome: 'spoke' }],
};

const stamped = (seq: number, type: Stamped['type'], data: unknown): Stamped =>
  ({ type, data, seq, at: seq * 1_000, topic: 'channel:kitchen', actor: 'human:owner' }) as Stamped;

const posted = stamped(1, 'message_posted', {
  messageId: 'msg_1',
  author: { kind: 'human', id: 'human:owner', displayName: 'owner' },
  addressedMemberIds: [],
  inputItems: [{ type: 'text', text: 'How long does bread take?' }],
  metadata: {},
});

describe('the story of a channel', () => {
  it('shows a turn once, with its leases and their outcomes', () => {
    const [entry, ...more] = storyOf([
      posted,
      stamped(2, 'turn_decided', opened),
      stamped(3, 'turn_decided', closed),
    ]);
    expect(more).toEqual([]);
    expect(entry).toMatchObject({
      kind: 'turn',
      at: 1_000,
      turn: { outcome: 'answered', replies: 1 },
      opening: { author: 'owner', text: 'How long does bread take?' },
      leases: [{ memberId: 'baker', from: 2_000, until: 3_000, outcome: 'spoke' }],
    });
    expect((entry as TurnEntry).decisions.map(({ seq }) => seq)).toEqual([2, 3]);
  });

  it('keeps what happens to a stimulus together, newest first among the rest', () => {
    const entries = storyOf([
      stamped(1, 'stimulus_created', { stimulusId: 'stm_1', kind: 'agent_idea', content: 'Soup!' }),
      stamped(2, 'channel_updated', { paused: true }),
      stamped(3, 'stimulus_claimed', { stimulusId: 'stm_1', attempt: 1, daemonId: 'd' }),
      stamped(4, 'stimulus_settled', {
        stimulusId: 'stm_1',
        state: 'cancelled',
        reason: 'hourly_root_limit',
      }),
    ]);
    expect(entries.map(({ kind }) => kind)).toEqual(['channel', 'stimulus']);
    expect(entries[1]).toMatchObject({
      content: 'Soup!',
      steps: [
        { text: 'waits to be posted' },
        { text: 'not posted: the limit of new threads per hour is reached', isEnd: true },
      ],
    });
  });

  it('tells of work what is new about it', () => {
    const work = (status: string, more = {}): unknown => ({
      cause: 'person',
      work: { threadRootMessageId: 'msg_1', status, bindings: [], progressSnapshots: [], ...more },
    });
    const entries = storyOf([
      stamped(1, 'thread_work_changed', work('active')),
      stamped(2, 'thread_work_changed', work('active', { lastSignalAt: 5 })),
      stamped(
        3,
        'thread_work_changed',
        work('reviewing', { review: { verdict: 'approved', by: 'human:owner', at: 3 } }),
      ),
    ]);
    expect(entries.map((entry) => entry.kind === 'work' && entry.news)).toEqual([
      ['The work is reviewing (it was active), set by a person.', 'It was approved.'],
      ['The work is active, set by a person.'],
    ]);
  });

  it('contains neither plain messages nor joins', () => {
    expect(isShown(stamped(1, 'member_left', { memberId: 'x' }))).toBe(false);
    expect(storyOf([posted])).toEqual([]);
  });
});
