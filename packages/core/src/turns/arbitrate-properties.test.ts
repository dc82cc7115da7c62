import type { AutonomyPolicy, ParticipationMode, Turn } from '@stoa/protocol';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { arbitrate } from './arbitrate.js';
import { chargeLease } from './budget.js';
import { lease, member, policy, thread, turn } from './thread-state.fixture.js';
import type { LiveLease, MemberState } from './thread-state.js';

const names = ['a', 'b', 'c', 'd', 'e', 'f'];

const modes = fc.constantFrom<ParticipationMode>(
  'manual_only',
  'selected_only',
  'prefer_selected',
  'always_listen',
);

const members = fc.subarray(names).chain((chosen) =>
  fc.tuple(
    ...chosen.map((name) =>
      fc
        .record({
          mode: modes,
          muted: fc.boolean(),
          expertise: fc.nat(2),
          isLastInThread: fc.boolean(),
          isLastInChannel: fc.boolean(),
          reactedSinceOrigin: fc.boolean(),
          liveRuns: fc.nat(2),
          spokeAt: fc.option(fc.nat(30_000), { nil: undefined }),
        })
        .map((fields) => member(name, fields)),
    ),
  ),
);

const bounds = fc
  .record({
    maxParallelPublicSpeakers: fc.integer({ min: 1, max: 4 }),
    maxAgentRepliesPerHumanMessage: fc.integer({ min: 1, max: 4 }),
    maxStartedRunsPerHumanMessage: fc.integer({ min: 1, max: 6 }),
    memberCooldownMs: fc.constantFrom(0, 15_000),
  })
  .map((fields) => policy(fields));

const step = fc.record({
  /** The index of the lease whose run changes. */
  who: fc.nat(5),
  how: fc.constantFrom('spoke', 'silent', 'nothing', 'waits', 'starts'),
  calls: fc.subarray(names, { maxLength: 2 }),
  later: fc.constantFrom(1, 5_000, 20_000, 60_000, 600_000),
});

/** Plays a thread: carries out decisions, and changes runs as the steps say. */
function play(
  initial: readonly MemberState[],
  bounded: AutonomyPolicy,
  opened: Turn,
  steps: readonly (typeof step extends fc.Arbitrary<infer S> ? S : never)[],
  /** Sessions that still answer an earlier turn of the thread. */
  earlier: readonly string[] = [],
): void {
  let now = 30_000;
  let current = opened;
  let leases: LiveLease[] = earlier.map((name) => lease(name, { turnId: 'earlier' }));
  let sessions = [...initial];
  let replies = 0;
  let runs = 0;
  for (const { who, how, calls, later } of steps) {
    const decided = arbitrate(thread(sessions, { turn: current, leases }), bounded, now);
    const ended = new Set(decided.ends.map(({ leaseId }) => leaseId));
    const isOwn = (id: string): boolean =>
      leases.some(({ leaseId, turnId }) => leaseId === id && turnId === opened.turnId);
    for (const { outcome, leaseId } of decided.ends)
      if (outcome === 'unclaimed' && isOwn(leaseId)) runs -= 1;
    leases = leases
      .filter(({ leaseId }) => !ended.has(leaseId))
      .map((live) => decided.renewals.find(({ leaseId }) => leaseId === live.leaseId) ?? live);
    for (const { sessionId } of decided.grants) {
      runs += 1;
      leases.push(
        lease(sessionId, {
          leaseId: `${sessionId} ${String(runs)} ${String(now)}`,
          phase: 'granted',
          deadline: now + bounded.claimTimeoutMs,
          progressAt: now,
          tokens: 0,
        }),
      );
    }
    current = decided.turn;

    const maxSpeakers = Math.max(bounded.maxParallelPublicSpeakers, earlier.length);
    expect(leases.length).toBeLessThanOrEqual(maxSpeakers);
    expect(new Set(leases.map(({ sessionId }) => sessionId)).size).toBe(leases.length);
    const own = leases.filter(({ turnId }) => turnId === opened.turnId);
    expect(replies + own.length).toBeLessThanOrEqual(bounded.maxAgentRepliesPerHumanMessage);
    expect(runs).toBeLessThanOrEqual(bounded.maxStartedRunsPerHumanMessage);
    expect(current.startedRuns).toBe(runs);
    for (const { muted, mode } of decided.grants) {
      expect(muted).toBe(false);
      expect(mode).not.toBe('manual_only');
    }
    if (current.outcome) {
      expect(leases).toEqual([]);
      return;
    }
    // An open turn is always checked again.
    expect(current.wakeAt).toBeGreaterThan(now);

    now += later;
    const live = leases[who % Math.max(1, leases.length)];
    if (!live || how === 'nothing') continue;
    if (how === 'waits' || how === 'starts') {
      const phase = how === 'waits' ? ('waiting' as const) : ('running' as const);
      leases = leases.map((one) => (one === live ? { ...one, phase, progressAt: now } : one));
      continue;
    }
    leases = leases.filter((one) => one !== live);
    current = chargeLease(current, live);
    if (how !== 'spoke') continue;
    // A reply to an earlier turn uses the budget of that turn.
    if (live.turnId === opened.turnId) replies += 1;
    current = { ...current, replies, called: calls.filter((name) => name !== live.sessionId) };
    sessions = sessions.map((one) =>
      one.sessionId === live.sessionId
        ? { ...one, spokeAt: now, isLastInThread: true }
        : { ...one, isLastInThread: false },
    );
  }
}

it('DU-5 DU-6 never spends the replies of a turn on an answer to an earlier turn', () => {
  fc.assert(
    fc.property(
      members,
      bounds,
      fc.subarray(names, { maxLength: 3 }),
      fc.subarray(names, { maxLength: 2 }),
      fc.array(step, { minLength: 1, maxLength: 25 }),
      (initial, bounded, selected, earlier, steps) => {
        play(initial, bounded, turn({ selected }), steps, earlier);
      },
    ),
    { numRuns: 2_000 },
  );
});

it('C-3 C-11 C-63 never exceeds the budget of a turn, and always checks an open turn again', () => {
  fc.assert(
    fc.property(
      members,
      bounds,
      fc.subarray(names, { maxLength: 3 }),
      fc.array(step, { minLength: 1, maxLength: 25 }),
      (initial, bounded, selected, steps) => {
        play(initial, bounded, turn({ selected }), steps);
      },
    ),
    { numRuns: 2_000 },
  );
});

it('does not depend on the order of the members', () => {
  fc.assert(
    fc.property(
      members.chain((ordered) =>
        fc.tuple(fc.constant(ordered), fc.shuffledSubarray(ordered, { minLength: ordered.length })),
      ),
      bounds,
      ([ordered, shuffled], bounded) => {
        expect(arbitrate(thread(shuffled), bounded, 30_000)).toEqual(
          arbitrate(thread(ordered), bounded, 30_000),
        );
      },
    ),
  );
});
