import type { Candidate, ParticipationMode } from '@stoa/protocol';
import { describe, expect, it } from 'vitest';
import { arbitrate, type Decisions } from './arbitrate.js';
import { lease, member, policy, thread, turn } from './thread-state.fixture.js';

const three = ['a', 'b', 'c'].map((name) => member(name));
const granted = ({ grants }: Decisions): string[] => grants.map(({ memberId }) => memberId);
const verdicts = ({ candidates }: Decisions): Record<string, string> =>
  Object.fromEntries(
    candidates.map(({ memberId, verdict, reason }: Candidate) => [
      memberId,
      `${verdict}: ${reason}`,
    ]),
  );

describe('a message of a person', () => {
  it('grants the turn to one of three members and queues the others, with a reason for each', () => {
    const decided = arbitrate(thread(three), policy(), 0);
    expect(granted(decided)).toEqual(['a']);
    expect(verdicts(decided)).toEqual({
      a: 'granted: member',
      b: 'queued: member',
      c: 'queued: member',
    });
    expect(decided.turn).toMatchObject({ startedRuns: 1, wakeAt: policy().claimTimeoutMs });
  });

  it('starts as many members as may speak in parallel', () => {
    const decided = arbitrate(thread(three), policy({ maxParallelPublicSpeakers: 2 }), 0);
    expect(granted(decided)).toEqual(['a', 'b']);
  });

  it('starts no more members than replies are left', () => {
    const bounds = policy({ maxParallelPublicSpeakers: 5, maxAgentRepliesPerHumanMessage: 2 });
    expect(granted(arbitrate(thread(three), bounds, 0))).toEqual(['a', 'b']);
  });

  it('lets only the addressed members speak, in the order in which they are named', () => {
    const named = turn({ selected: ['b', 'a'] });
    const first = arbitrate(thread(three, { turn: named }), policy(), 0);
    expect(verdicts(first)).toEqual({
      b: 'granted: addressed',
      a: 'queued: addressed',
      c: 'skipped: others_selected',
    });
    const then = { ...first.turn, served: ['b'], replies: 1 };
    const second = arbitrate(thread(three, { turn: then }), policy(), 0);
    expect(granted(second)).toEqual(['a']);
    const last = arbitrate(
      thread(three, { turn: { ...second.turn, served: ['b', 'a'], replies: 2 } }),
      policy(),
      5,
    );
    expect(last.turn).toMatchObject({ outcome: 'answered', closedAt: 5 });
  });

  it('for people gives the turn only to agents that always listen', () => {
    const members = [member('a'), member('b', { mode: 'always_listen' })];
    const forPeople = turn({ isForPeople: true });
    expect(verdicts(arbitrate(thread(members, { turn: forPeople }), policy(), 0))).toEqual({
      a: 'skipped: others_selected',
      b: 'granted: member',
    });
  });

  it('skips members that are muted, started by hand only, or unavailable', () => {
    const members = [
      member('a', { muted: true }),
      member('b', { mode: 'manual_only' }),
      member('c', { unavailable: 'inbox_full' }),
      member('d', { unavailable: 'session_ended' }),
      member('e'),
    ];
    const named = turn({ selected: ['a', 'b', 'c', 'd', 'e'] });
    expect(verdicts(arbitrate(thread(members, { turn: named }), policy(), 0))).toEqual({
      a: 'skipped: muted',
      b: 'skipped: manual_only',
      c: 'skipped: inbox_full',
      d: 'skipped: session_ended',
      e: 'granted: addressed',
    });
  });

  it('prefers the last speaker of the thread, then expertise, then the last speaker of the channel', () => {
    const members = [
      member('a'),
      member('b', { isLastInChannel: true }),
      member('c', { expertise: 1 }),
      member('d', { expertise: 2 }),
      member('e', { isLastInThread: true }),
    ];
    const { candidates } = arbitrate(thread(members), policy(), 0);
    expect(candidates.map(({ memberId, reason }) => `${memberId} ${reason}`)).toEqual([
      'e last_in_thread',
      'd expertise',
      'c expertise',
      'b last_in_channel',
      'a member',
    ]);
    expect(candidates[1]?.score).toContainEqual({ by: 'expertise', value: -2 });
  });
});

describe('participation', () => {
  const modes: [ParticipationMode, Record<string, boolean>][] = [
    ['manual_only', { addressed: false, others: false, sole: false, several: false }],
    ['selected_only', { addressed: true, others: false, sole: true, several: true }],
    ['prefer_selected', { addressed: true, others: false, sole: true, several: true }],
    ['always_listen', { addressed: true, others: true, sole: true, several: true }],
  ];

  it.each(modes)('C-23 %s', (mode, may) => {
    const it = member('it', { mode });
    const other = member('other');
    const isCandidate = (decided: Decisions): boolean =>
      decided.candidates.some(
        ({ memberId, verdict }) => memberId === 'it' && verdict !== 'skipped',
      );
    const mayStart = (members: (typeof it)[], selected: string[]): boolean =>
      isCandidate(arbitrate(thread(members, { turn: turn({ selected }) }), policy(), 0));
    expect({
      addressed: mayStart([it, other], ['it']),
      others: mayStart([it, other], ['other']),
      sole: mayStart([it], []),
      several: mayStart([it, other], []),
    }).toEqual(may);
  });

  it('C-23 prefer_selected speaks if the selected members did not', () => {
    const members = [member('it', { mode: 'prefer_selected' }), member('other')];
    const silent = turn({ selected: ['other'], served: ['other'] });
    expect(granted(arbitrate(thread(members, { turn: silent }), policy(), 0))).toEqual(['it']);
    const spoke = { ...silent, replies: 1 };
    expect(granted(arbitrate(thread(members, { turn: spoke }), policy(), 0))).toEqual([]);
  });
});

describe('a cooldown', () => {
  it('delays a member and keeps the turn open for it', () => {
    const members = [member('a', { spokeAt: 1_000 }), member('b', { spokeAt: 4_000 })];
    const waits = arbitrate(thread(members), policy(), 5_000);
    expect(granted(waits)).toEqual([]);
    expect(waits.turn).toMatchObject({ wakeAt: 16_000 });
    expect(waits.turn.outcome).toBeUndefined();
    expect(granted(arbitrate(thread(members), policy(), 16_000))).toEqual(['a']);
  });

  it('does not apply to members that are selected or called', () => {
    const members = [member('a', { spokeAt: 1_000 }), member('b')];
    for (const named of [{ selected: ['a'] }, { called: ['a'] }]) {
      const decided = arbitrate(thread(members, { turn: turn(named) }), policy(), 2_000);
      expect(granted(decided)).toEqual(['a']);
    }
  });
});

describe('a member that the last reply calls', () => {
  it('may speak once more', () => {
    const called = turn({ served: ['a', 'b'], called: ['a'], replies: 2 });
    const decided = arbitrate(thread(three, { turn: called }), policy(), 0);
    expect(granted(decided)).toEqual(['a']);
    expect(decided.turn.called).toEqual([]);
  });
});

describe('the budget of a turn', () => {
  it('closes the turn after its last reply', () => {
    const decided = arbitrate(thread(three, { turn: turn({ replies: 3 }) }), policy(), 0);
    expect(granted(decided)).toEqual([]);
    expect(decided.turn.outcome).toBe('reply_budget');
  });

  it('closes the turn after its last run', () => {
    const decided = arbitrate(thread(three, { turn: turn({ startedRuns: 5 }) }), policy(), 0);
    expect(decided.turn.outcome).toBe('run_budget');
  });

  it('ends the leases when the tokens are spent', () => {
    const spent = turn({ tokens: 100 });
    const state = thread(three, { turn: spent, leases: [lease('a')] });
    const decided = arbitrate(state, policy({ tokensPerTurn: 100 }), 1);
    expect(decided.ends).toEqual([{ leaseId: 'lease of a', outcome: 'budget' }]);
    expect(granted(decided)).toEqual([]);
    expect(decided.turn.outcome).toBe('token_budget');
  });
});

describe('a lease', () => {
  it('passes to the next member after its deadline', () => {
    const decided = arbitrate(thread(three, { leases: [lease('a')] }), policy(), 60_000);
    expect(decided.ends).toEqual([{ leaseId: 'lease of a', outcome: 'superseded' }]);
    expect(granted(decided)).toEqual(['b']);
    expect(decided.turn.served).toEqual(['a']);
  });

  it('does not pass on a millisecond before its deadline', () => {
    const decided = arbitrate(thread(three, { leases: [lease('a')] }), policy(), 59_999);
    expect(decided).toMatchObject({ ends: [], renewals: [], grants: [] });
    expect(decided.turn.wakeAt).toBe(60_000);
  });

  it('is renewed if nobody waits', () => {
    const state = thread([member('a')], { leases: [lease('a', { progressAt: 50_000 })] });
    const decided = arbitrate(state, policy(), 60_000);
    expect(decided.renewals).toMatchObject([{ leaseId: 'lease of a', deadline: 110_000 }]);
    expect(decided.turn.wakeAt).toBe(110_000);
  });

  it('AC-18 is renewed while its run is active even if others wait, and passes on after silence', () => {
    const state = thread(three, { leases: [lease('a', { progressAt: 50_000 })] });
    const decided = arbitrate(state, policy(), 60_000);
    expect(decided).toMatchObject({ ends: [], grants: [], renewals: [{ deadline: 110_000 }] });
    expect(decided.turn.wakeAt).toBe(110_000);
    const later = { ...state, leases: decided.renewals };
    expect(arbitrate(later, policy(), 110_000).ends).toMatchObject([{ outcome: 'superseded' }]);
  });

  it('DU-29 is checked again early enough to notice a run that is silent from its start', () => {
    const short = policy({ silenceLimitMs: 1_500 });
    const decided = arbitrate(thread([member('a')]), short, 0);
    expect(decided.turn.wakeAt).toBe(1_500);
    const waiting = lease('a', { phase: 'granted', deadline: 20_000 });
    const unclaimed = arbitrate(thread([member('a')], { leases: [waiting] }), short, 1_500);
    expect(unclaimed).toMatchObject({ ends: [], turn: { wakeAt: 3_000 } });
  });

  it('is not replaced if no run is left', () => {
    const state = thread(three, { leases: [lease('a')], turn: turn({ startedRuns: 5 }) });
    expect(arbitrate(state, policy(), 60_000)).toMatchObject({ ends: [], grants: [] });
  });

  it('ends if its run is silent for too long, even if nobody waits', () => {
    const state = thread([member('a')], { leases: [lease('a', { deadline: 900_000 })] });
    const decided = arbitrate(state, policy(), 600_000);
    expect(decided.ends).toEqual([{ leaseId: 'lease of a', outcome: 'timeout' }]);
    expect(decided.turn.outcome).toBe('silent');
  });

  it('is kept while its run waits for people', () => {
    const waiting = lease('a', { phase: 'waiting' });
    const decided = arbitrate(thread(three, { leases: [waiting] }), policy(), 10_000_000);
    expect(decided).toMatchObject({ ends: [], grants: [], renewals: [] });
  });

  it('whose run never started passes on and is refunded', () => {
    const state = thread(three, {
      leases: [lease('a', { phase: 'granted', deadline: 20_000 })],
      turn: turn({ startedRuns: 1 }),
    });
    const decided = arbitrate(state, policy(), 20_000);
    expect(decided.ends).toEqual([{ leaseId: 'lease of a', outcome: 'unclaimed' }]);
    expect(granted(decided)).toEqual(['b']);
    expect(decided.turn).toMatchObject({ startedRuns: 1, served: [] });
  });

  it('of an earlier turn does not count as served in the new one', () => {
    const state = thread(three, { leases: [lease('a', { turnId: 'earlier' })] });
    expect(arbitrate(state, policy(), 60_000).turn.served).toEqual([]);
  });
});

describe('a paused channel', () => {
  it('starts nobody, replaces nobody and closes nothing', () => {
    const quiet = arbitrate(thread(three, { paused: true }), policy(), 0);
    expect(quiet).toMatchObject({ grants: [], ends: [] });
    expect(quiet.turn.outcome).toBeUndefined();
    const speaking = thread(three, { paused: true, leases: [lease('a')] });
    expect(arbitrate(speaking, policy(), 60_000)).toMatchObject({
      grants: [],
      ends: [],
      renewals: [{ leaseId: 'lease of a' }],
    });
  });
});
