import type {
  AutonomyPolicy,
  Candidate,
  CandidateGroup,
  LeaseOutcome,
  Turn,
  TurnDecision,
} from '@stoa/protocol';
import { budgetOf, chargeLease, isSpent, outcomeOf } from './budget.js';
import { type JudgedCandidate, summarizeCandidates } from './candidate-summary.js';
import { type Eligibility, eligibility } from './eligibility.js';
import {
  firstCheckAt,
  isActive,
  isOverdue,
  isSilent,
  nextCheckAt,
  renewed,
} from './lease-clock.js';
import { type Ranked, rank } from './rank.js';
import type { LiveLease, MemberState, ThreadState } from './thread-state.js';

export type EndedLease = TurnDecision['ended'][number];

/** What to do about a thread, and why. */
export interface Decisions {
  /** In the order in which they are granted. */
  readonly grants: readonly MemberState[];
  readonly ends: readonly EndedLease[];
  readonly renewals: readonly LiveLease[];
  /** Some candidates in detail, in the order of their rank; `others` groups the rest. */
  readonly candidates: readonly Candidate[];
  readonly others: readonly CandidateGroup[];
  readonly candidateCount: number;
  /** The turn after the decision. */
  readonly turn: Turn;
}

/**
 * Decides who speaks next in a thread: a pure function of its state, total and deterministic.
 *
 *   open ──a member may start──▶ open, with leases
 *     ├──all who may start are cooling down──▶ open, checked again when the first may start
 *     └──nobody speaks, and nobody may start or the budget is spent──▶ closed
 *
 * An overdue lease is renewed if its run is active or no other member can start now; otherwise the next member
 * replaces it. A run that is silent for too long, or that spent the tokens of the turn, always loses its lease. In a
 * paused or archived channel nobody starts and nobody is replaced.
 */
export function arbitrate(state: ThreadState, policy: AutonomyPolicy, now: number): Decisions {
  const arbitration = new Arbitration(state, policy, now);
  arbitration.endExpired();
  arbitration.judgeMembers();
  arbitration.replaceOverdue();
  arbitration.fill();
  return arbitration.decisions();
}

type Verdict = Eligibility | { readonly may: 'speaking' };

class Arbitration {
  #turn: Turn;
  #live: LiveLease[];
  #verdicts: { readonly candidate: Ranked; readonly verdict: Verdict }[] = [];
  #ready: Ranked[] = [];
  readonly #granted: MemberState[] = [];
  readonly #ends: EndedLease[] = [];
  readonly #renewals: LiveLease[] = [];

  constructor(
    private readonly state: ThreadState,
    private readonly policy: AutonomyPolicy,
    private readonly now: number,
  ) {
    this.#turn = state.turn;
    this.#live = [...state.leases];
  }

  endExpired(): void {
    const isOver = isSpent(this.#turn, this.policy);
    for (const lease of this.state.leases) {
      if (isOver) this.#end(lease, 'budget');
      else if (isSilent(lease, this.policy, this.now)) this.#end(lease, 'timeout');
    }
  }

  judgeMembers(): void {
    const speaking = new Set(this.#live.map(({ sessionId }) => sessionId));
    this.#verdicts = rank(this.#turn, this.state.members).map((candidate) => ({
      candidate,
      verdict: speaking.has(candidate.member.sessionId)
        ? { may: 'speaking' }
        : eligibility(candidate.member, this.#turn, this.policy, this.now),
    }));
    this.#ready = this.#verdicts
      .filter(({ verdict }) => verdict.may === 'start')
      .map(({ candidate }) => candidate);
  }

  /** Replaces overdue leases of inactive runs by members that can start; renews the others. */
  replaceOverdue(): void {
    for (const lease of this.#live.filter((live) => isOverdue(live, this.now))) {
      // A run that never began is refunded; one of an earlier turn cost this turn nothing.
      const replies = this.#isOwn(lease) ? 1 : 0;
      const refund = lease.phase === 'granted' ? replies : 0;
      const mayReplace = this.#ready.length > 0 && !isActive(lease, this.policy, this.now);
      if (mayReplace && this.#room({ speakers: 1, replies, runs: refund }) > 0) {
        this.#turn = { ...this.#turn, startedRuns: this.#turn.startedRuns - refund };
        this.#end(lease, lease.phase === 'granted' ? 'unclaimed' : 'superseded');
        // Its run may have spent the rest of the tokens.
        if (!isSpent(this.#turn, this.policy)) this.#startNext();
      } else {
        const longer = renewed(lease, this.policy, this.now);
        this.#live = this.#live.map((live) => (live === lease ? longer : live));
        this.#renewals.push(longer);
      }
    }
  }

  fill(): void {
    while (this.#ready.length > 0 && this.#room() > 0) this.#startNext();
  }

  decisions(): Decisions {
    const granted = new Set(this.#granted.map(({ sessionId }) => sessionId));
    return {
      grants: this.#granted,
      ends: this.#ends,
      renewals: this.#renewals,
      ...summarizeCandidates(
        this.#verdicts.map(({ candidate, verdict }) =>
          judged(candidate, verdict, granted.has(candidate.member.sessionId)),
        ),
      ),
      candidateCount: this.#verdicts.length,
      turn: this.#turnAfter(granted),
    };
  }

  /**
   * How many more members could start if `refund` were returned. A lease of an earlier turn counts as a speaker, but
   * uses no reply of this turn.
   */
  #room(refund = { speakers: 0, replies: 0, runs: 0 }): number {
    if (this.state.paused || isSpent(this.#turn, this.policy)) return 0;
    const { replies, runs } = budgetOf(this.#turn, this.policy);
    const granted = this.#granted.length;
    const speakers = this.#live.length + granted - refund.speakers;
    const reserved = this.#live.filter((lease) => this.#isOwn(lease)).length + granted;
    return Math.min(
      this.policy.maxParallelPublicSpeakers - speakers,
      replies - this.#turn.replies - reserved + refund.replies,
      runs - this.#turn.startedRuns + refund.runs,
    );
  }

  #isOwn({ turnId }: LiveLease): boolean {
    return turnId === this.#turn.turnId;
  }

  #startNext(): void {
    const next = this.#ready.shift();
    if (!next) return;
    this.#granted.push(next.member);
    this.#turn = { ...this.#turn, startedRuns: this.#turn.startedRuns + 1 };
  }

  #end(lease: LiveLease, outcome: LeaseOutcome): void {
    this.#ends.push({ leaseId: lease.leaseId, outcome });
    this.#live = this.#live.filter(({ leaseId }) => leaseId !== lease.leaseId);
    if (outcome !== 'unclaimed') this.#turn = chargeLease(this.#turn, lease);
  }

  #turnAfter(granted: ReadonlySet<string>): Turn {
    const { wakeAt: _, ...before } = this.#turn;
    const turn = { ...before, called: before.called.filter((id) => !granted.has(id)) };
    const cooling = this.#verdicts.flatMap(({ verdict }) =>
      verdict.may === 'later' ? [verdict.at] : [],
    );
    const isQuiet = this.#live.length + this.#granted.length === 0;
    const outcome =
      isQuiet && !this.state.paused ? outcomeOf(turn, this.policy, cooling.length > 0) : undefined;
    if (outcome) return { ...turn, closedAt: this.now, outcome };
    const times = this.#live.map((lease) => nextCheckAt(lease, this.policy, this.now));
    if (granted.size > 0) times.push(firstCheckAt(this.policy, this.now));
    if (this.#room() > 0) times.push(...cooling);
    const wakeAt = Math.min(...times);
    return Number.isFinite(wakeAt) ? { ...turn, wakeAt } : turn;
  }
}

function judged(candidate: Ranked, verdict: Verdict, isGranted: boolean): JudgedCandidate {
  switch (verdict.may) {
    case 'speaking':
      return { candidate, verdict: 'speaking', reason: 'speaking' };
    case 'start':
      return { candidate, verdict: isGranted ? 'granted' : 'queued', reason: candidate.reason };
    case 'later':
      return { candidate, verdict: 'skipped', reason: 'cooling_down' };
    case 'no':
      return { candidate, verdict: 'skipped', reason: verdict.reason };
  }
}
