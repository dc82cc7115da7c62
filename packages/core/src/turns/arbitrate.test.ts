import type { Candidate, ParticipationMode } from '@stoa/protocol';
import { describe, expect, it } from 'vitest';
import { arbitrate, type Decisions } from './arbitrate.js';
import { lease, policy, standing, thread, turn } from './thread-state.fixture.js';

const three = ['a', 'b', 'c'].map((name) => standing(name));
const granted = ({ grants }: Decisions): string[] => grants.map(({ memberId }) => memberId);
const told = ({ candidates }: Decisions): Record<string, string> =>
  Object.fromEntries(
    candidates.map(({ memberId, verdict, reason }: Candidate) => [
      memberId,
      `${verdict}: ${reason}`,
    ]),
  );

describe('a message of a person', () => {
  it('gives one of three the turn and lets the others wait, with reasons for all', () => {
    const decided = arbitrate(thread(three), policy(), 0);
    expect(granted(decided)).toEqual(['a']);
    expect(told(decided)).toEqual({
      a: 'granted: member',
      b: 'queued: member',
      c: 'queued: member',
    });
    expect(decided.turn).toMatchObject({ startedRuns: 1, wakeAt: policy().claimTimeoutMs });
  });

  it('starts as many as may speak at once', () => {
    const decided = arbitrate(thread(three), policy({ maxParallelPublicSpeakers: 2 }), 0);
    expect(granted(decided)).toEqual(['a', 'b']);
  });

  it('starts no more than may reply', () => {
    const bounds = policy({ maxParallelPublicSpeakers: 5, maxAgentRepliesPerHumanMessage: 2 });
    expect(granted(arbitrate(thread(three), bounds, 0))).toEqual(['a', 'b']);
  });

  it('lets those who are addressed speak in the order they are named, and nobody else', () => {
    const named = turn({ selected: ['b', 'a'] });
    const first = arbitrate(thread(three, { turn: named }), policy(), 0);
    expect(told(first)).toEqual({
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

  it('for people leaves the agents alone, but for those who always listen', () => {
    const members = [standing('a'), standing('b', { mode: 'always_listen' })];
    const forPeople = turn({ isForPeople: true });
    expect(told(arbitrate(thread(members, { turn: forPeople }), policy(), 0))).toEqual({
      a: 'skipped: others_selected',
      b: 'granted: member',
    });
  });

  it('passes over the muted, those who are started by hand only, and those who cannot', () => {
    const members = [
      standing('a', { muted: true }),
      standing('b', { mode: 'manual_only' }),
      standing('c', { unavailable: 'inbox_full' }),
      standing('d', { unavailable: 'session_ended' }),
      standing('e'),
    ];
    const named = turn({ selected: ['a', 'b', 'c', 'd', 'e'] });
    expect(told(arbitrate(thread(members, { turn: named }), policy(), 0))).toEqual({
      a: 'skipped: muted',
      b: 'skipped: manual_only',
      c: 'skipped: inbox_full',
      d: 'skipped: session_ended',
      e: 'granted: addressed',
    });
  });

  it('prefers who spoke last in the thread, then who knows of it, then who spoke last in the channel', () => {
    const members = [
      standing('a'),
      standing('b', { isLastInChannel: true }),
      standing('c', { expertise: 1 }),
      standing('d', { expertise: 2 }),
      standing('e', { isLastInThread: true }),
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
    const it = standing('it', { mode });
    const other = standing('other');
    const isCandidate = (decided: Decisions): boolean =>
      decided.candidates.some(
        ({ memberId, verdict }) => memberId === 'it' && verdict !== 'skipped',
      );
    const said = (members: (typeof it)[], selected: string[]): boolean =>
      isCandidate(arbitrate(thread(members, { turn: turn({ selected }) }), policy(), 0));
    expect({
      addressed: said([it, other], ['it']),
      others: said([it, other], ['other']),
      sole: said([it], []),
      several: said([it, other], []),
    }).toEqual(may);
  });

  it('C-23 prefer_selected speaks when those who were selected did not', () => {
    const members = [standing('it', { mode: 'prefer_selected' }), standing('other')];
    const silent = turn({ selected: ['other'], served: ['other'] });
    expect(granted(arbitrate(thread(members, { turn: silent }), policy(), 0))).toEqual(['it']);
    const spoke = { ...silent, replies: 1 };
    expect(granted(arbitrate(thread(members, { turn: spoke }), policy(), 0))).toEqual([]);
  });
});

describe('a cooldown', () => {
  it('keeps a member out until it is over, and the turn open for it', () => {
    const members = [standing('a', { spokeAt: 1_000 }), standing('b', { spokeAt: 4_000 })];
    const waits = arbitrate(thread(members), policy(), 5_000);
    expect(granted(waits)).toEqual([]);
    expect(waits.turn).toMatchObject({ wakeAt: 16_000 });
    expect(waits.turn.outcome).toBeUndefined();
    expect(granted(arbitrate(thread(members), policy(), 16_000))).toEqual(['a']);
  });

  it('does not hold for who is selected or called', () => {
    const members = [standing('a', { spokeAt: 1_000 }), standing('b')];
    for (const named of [{ selected: ['a'] }, { called: ['a'] }]) {
      const decided = arbitrate(thread(members, { turn: turn(named) }), policy(), 2_000);
      expect(granted(decided)).toEqual(['a']);
    }
  });
});

describe('a member that the last reply calls', () => {
  it('may speak again, once', () => {
    const called = turn({ served: ['a', 'b'], called: ['a'], replies: 2 });
    const decided = arbitrate(thread(three, { turn: called }), policy(), 0);
    expect(granted(decided)).toEqual(['a']);
    expect(decided.turn.called).toEqual([]);
  });
});

describe('a bound', () => {
  it('closes the turn when enough was replied, for any mix of agents', () => {
    const decided = arbitrate(thread(three, { turn: turn({ replies: 3 }) }), policy(), 0);
    expect(granted(decided)).toEqual([]);
    expect(decided.turn.outcome).toBe('reply_budget');
  });

  it('closes the turn when enough runs ended in silence', () => {
    const decided = arbitrate(thread(three, { turn: turn({ startedRuns: 5 }) }), policy(), 0);
    expect(decided.turn.outcome).toBe('run_budget');
  });

  it('takes the leases away when the turn has cost what it may', () => {
    const spent = turn({ tokens: 100 });
    const state = thread(three, { turn: spent, leases: [lease('a')] });
    const decided = arbitrate(state, policy({ tokensPerTurn: 100 }), 1);
    expect(decided.ends).toEqual([{ leaseId: 'lease of a', outcome: 'budget' }]);
    expect(granted(decided)).toEqual([]);
    expect(decided.turn.outcome).toBe('token_budget');
  });
});

describe('a lease', () => {
  it('passes on when its time is over and somebody waits', () => {
    const decided = arbitrate(thread(three, { leases: [lease('a')] }), policy(), 60_000);
    expect(decided.ends).toEqual([{ leaseId: 'lease of a', outcome: 'superseded' }]);
    expect(granted(decided)).toEqual(['b']);
    expect(decided.turn.served).toEqual(['a']);
  });

  it('does not pass on one moment before', () => {
    const decided = arbitrate(thread(three, { leases: [lease('a')] }), policy(), 59_999);
    expect(decided).toMatchObject({ ends: [], renewals: [], grants: [] });
    expect(decided.turn.wakeAt).toBe(60_000);
  });

  it('is renewed when nobody waits', () => {
    const state = thread([standing('a')], { leases: [lease('a', { progressAt: 50_000 })] });
    const decided = arbitrate(state, policy(), 60_000);
    expect(decided.renewals).toMatchObject([{ leaseId: 'lease of a', deadline: 110_000 }]);
    expect(decided.turn.wakeAt).toBe(110_000);
  });

  it('AC-18 is renewed while its run is active, although somebody waits, and passes on after silence', () => {
    const state = thread(three, { leases: [lease('a', { progressAt: 50_000 })] });
    const decided = arbitrate(state, policy(), 60_000);
    expect(decided).toMatchObject({ ends: [], grants: [], renewals: [{ deadline: 110_000 }] });
    expect(decided.turn.wakeAt).toBe(110_000);
    const later = { ...state, leases: decided.renewals };
    expect(arbitrate(later, policy(), 110_000).ends).toMatchObject([{ outcome: 'superseded' }]);
  });

  it('DU-29 is checked again early enough to notice a run that is silent from its start', () => {
    const short = policy({ silenceLimitMs: 1_500 });
    const decided = arbitrate(thread([standing('a')]), short, 0);
    expect(decided.turn.wakeAt).toBe(1_500);
    const waiting = lease('a', { phase: 'granted', deadline: 20_000 });
    const unclaimed = arbitrate(thread([standing('a')], { leases: [waiting] }), short, 1_500);
    expect(unclaimed).toMatchObject({ ends: [], turn: { wakeAt: 3_000 } });
  });

  it('is not replaced beyond what may be replied', () => {
    const state = thread(three, { leases: [lease('a')], turn: turn({ startedRuns: 5 }) });
    expect(arbitrate(state, policy(), 60_000)).toMatchObject({ ends: [], grants: [] });
  });

  it('ends when its run was silent for too long, whoever waits', () => {
    const state = thread([standing('a')], { leases: [lease('a', { deadline: 900_000 })] });
    const decided = arbitrate(state, policy(), 600_000);
    expect(decided.ends).toEqual([{ leaseId: 'lease of a', outcome: 'timeout' }]);
    expect(decided.turn.outcome).toBe('silent');
  });

  it('is kept while its run waits for people', () => {
    const waiting = lease('a', { phase: 'waiting' });
    const decided = arbitrate(thread(three, { leases: [waiting] }), policy(), 10_000_000);
    expect(decided).toMatchObject({ ends: [], grants: [], renewals: [] });
  });

  it('that nobody took up passes on and has cost nothing', () => {
    const state = thread(three, {
      leases: [lease('a', { phase: 'granted', deadline: 20_000 })],
      turn: turn({ startedRuns: 1 }),
    });
    const decided = arbitrate(state, policy(), 20_000);
    expect(decided.ends).toEqual([{ leaseId: 'lease of a', outcome: 'unclaimed' }]);
    expect(granted(decided)).toEqual(['b']);
    expect(decided.turn).toMatchObject({ startedRuns: 1, served: [] });
  });

  it('of an earlier turn does not use up the new one', () => {
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
