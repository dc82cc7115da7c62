import type { AutonomyPolicy, ParticipationMode, Turn } from '@stoa/protocol';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { arbitrate, served } from './arbitrate.js';
import { lease, policy, standing, thread, turn } from './thread-state.fixture.js';
import type { LiveLease, Standing } from './thread-state.js';

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
        .map((known) => standing(name, known)),
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
  .map((known) => policy(known));

const step = fc.record({
  /** How the run of the lease at this place ends. */
  who: fc.nat(5),
  how: fc.constantFrom('spoke', 'silent', 'nothing', 'waits', 'starts'),
  calls: fc.subarray(names, { maxLength: 2 }),
  later: fc.constantFrom(1, 5_000, 20_000, 60_000, 600_000),
});

/** Plays a thread on: what is decided is carried out, runs end as the steps say. */
function play(
  standings: readonly Standing[],
  bounded: AutonomyPolicy,
  opened: Turn,
  steps: readonly (typeof step extends fc.Arbitrary<infer S> ? S : never)[],
  /** Sessions that still answer an earlier turn of the thread. */
  earlier: readonly string[] = [],
): void {
  let now = 30_000;
  let current = opened;
  let leases: LiveLease[] = earlier.map((name) => lease(name, { turnId: 'earlier' }));
  let people = [...standings];
  let replies = 0;
  let runs = 0;
  for (const { who, how, calls, later } of steps) {
    const decided = arbitrate(thread(people, { turn: current, leases }), bounded, now);
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

    const most = Math.max(bounded.maxParallelPublicSpeakers, earlier.length);
    expect(leases.length).toBeLessThanOrEqual(most);
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
    // Nobody is left alone: whoever speaks is watched, and whoever may later is looked for.
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
    current = served(current, live);
    if (how !== 'spoke') continue;
    // A reply to an earlier turn is paid for there.
    if (live.turnId === opened.turnId) replies += 1;
    current = { ...current, replies, called: calls.filter((name) => name !== live.sessionId) };
    people = people.map((one) =>
      one.sessionId === live.sessionId
        ? { ...one, spokeAt: now, isLastInThread: true }
        : { ...one, isLastInThread: false },
    );
  }
}

it('DU-5 DU-6 keeps the replies of a turn for it, even while an agent still answers an earlier one', () => {
  fc.assert(
    fc.property(
      members,
      bounds,
      fc.subarray(names, { maxLength: 3 }),
      fc.subarray(names, { maxLength: 2 }),
      fc.array(step, { minLength: 1, maxLength: 25 }),
      (standings, bounded, selected, earlier, steps) => {
        play(standings, bounded, turn({ selected }), steps, earlier);
      },
    ),
    { numRuns: 2_000 },
  );
});

it('C-3 C-11 C-63 never lets a thread exceed its bounds, and never strands it', () => {
  fc.assert(
    fc.property(
      members,
      bounds,
      fc.subarray(names, { maxLength: 3 }),
      fc.array(step, { minLength: 1, maxLength: 25 }),
      (standings, bounded, selected, steps) => {
        play(standings, bounded, turn({ selected }), steps);
      },
    ),
    { numRuns: 2_000 },
  );
});

it('decides the same in whatever order the members are given', () => {
  fc.assert(
    fc.property(
      members.chain((standings) =>
        fc.tuple(
          fc.constant(standings),
          fc.shuffledSubarray(standings, { minLength: standings.length }),
        ),
      ),
      bounds,
      ([standings, shuffled], bounded) => {
        expect(arbitrate(thread(shuffled), bounded, 30_000)).toEqual(
          arbitrate(thread(standings), bounded, 30_000),
        );
      },
    ),
  );
});
