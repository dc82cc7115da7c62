import type { EventData } from '@stoa/protocol';
import type { LeaseRow } from '@stoa/store';
import { describe, expect, it } from 'vitest';
import { changedThread, decideAgain, type ThreadChange } from './thread-change.js';
import { lease, member, policy, thread, turn } from './thread-state.fixture.js';

const row = (sessionId: string, turnId = 'turn'): LeaseRow => ({
  topicId: 1,
  seq: 1,
  leaseId: `lease of ${sessionId}`,
  turnId,
  rootMessageId: 'root',
  originMessageId: 'root',
  memberId: sessionId,
  sessionId,
  runId: `run of ${sessionId}`,
  grantedAt: 0,
  deadline: 60_000,
  endedAt: null,
  outcome: null,
});

const members = ['a', 'b', 'c'].map((name) => member(name));
const reply = (called: readonly string[]) => ({
  posted: { messageId: 'reply' } as EventData<'message_posted'>,
  called,
});
const decide = (state: Parameters<typeof changedThread>[0], change: ThreadChange, at = 100) =>
  decideAgain(changedThread(state, change, at), policy(), change, at);

describe('the end of a run', () => {
  const ended = { outcome: 'spoke' as const };

  it('charges its turn, counts its reply, and grants the turn to the member that it calls', () => {
    const state = thread(members, { leases: [lease('a', { tokens: 40 })] });
    const change = { type: 'run_ended' as const, lease: row('a'), ended, isSessionEnded: false };
    const decisions = decide(state, { ...change, reply: reply(['c']) });
    expect(decisions.ends).toEqual([{ leaseId: 'lease of a', outcome: 'spoke' }]);
    expect(decisions.grants.map(({ sessionId }) => sessionId)).toEqual(['c']);
    expect(decisions.turn).toMatchObject({
      replies: 1,
      tokens: 40,
      served: ['a'],
      calledByMessageId: 'reply',
    });
  });

  it('of an earlier turn charges nothing, and calls nobody before the selected members', () => {
    const state = thread(members, {
      turn: turn({ selected: ['b'] }),
      leases: [lease('a', { turnId: 'earlier', tokens: 40 })],
    });
    const after = changedThread(
      state,
      {
        type: 'run_ended',
        lease: row('a', 'earlier'),
        ended,
        reply: reply(['c']),
        isSessionEnded: false,
      },
      100,
    );
    expect(after.turn).toEqual(turn({ selected: ['b'] }));
    expect(after.members[0]).toMatchObject({ isLastInThread: true, spokeAt: 100 });
  });

  it('makes the session unavailable if the session ends with it', () => {
    const state = thread([member('a')], { leases: [lease('a')], turn: turn({ called: ['a'] }) });
    const decisions = decide(state, {
      type: 'run_ended',
      lease: row('a'),
      ended: { outcome: 'cancelled' },
      isSessionEnded: true,
    });
    expect(decisions.candidates).toMatchObject([{ reason: 'session_ended' }]);
    expect(decisions.turn.outcome).toBe('silent');
  });
});

describe('a cancellation', () => {
  const state = thread(members, { leases: [lease('a', { tokens: 7 })] });

  it('passes the turn on to the next member', () => {
    const decisions = decide(state, { type: 'cancelled', leases: [row('a')], then: 'pass_on' });
    expect(decisions.ends).toEqual([{ leaseId: 'lease of a', outcome: 'cancelled' }]);
    expect(decisions.grants.map(({ sessionId }) => sessionId)).toEqual(['b']);
    expect(decisions.turn).toMatchObject({ served: ['a'], tokens: 7 });
  });

  it('closes the turn and considers nobody', () => {
    const decisions = decide(state, { type: 'cancelled', leases: [row('a')], then: 'close' });
    expect(decisions).toMatchObject({ grants: [], candidateCount: 0 });
    expect(decisions.turn).toMatchObject({ outcome: 'cancelled', closedAt: 100, tokens: 7 });
  });
});

it('the resumption of a channel ends its pause, and time alone does not', () => {
  const paused = thread(members, { paused: true });
  expect(decide(paused, { type: 'resumed' }).grants).toHaveLength(1);
  expect(decide(paused, { type: 'time' }).grants).toEqual([]);
});
