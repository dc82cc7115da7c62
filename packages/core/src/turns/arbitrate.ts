import type {
  AutonomyPolicy,
  Candidate,
  CandidateGroup,
  LeaseOutcome,
  Turn,
  TurnDecision,
} from '@stoa/protocol';
import { boundsOf, isSpent, outcomeOf } from './bounds.js';
import { type Eligibility, eligibility } from './eligibility.js';
import {
  isActive,
  isOverdue,
  isSilent,
  lookAgainAfterGrant,
  lookAgainAt,
  renewed,
} from './lease-clock.js';
import { type Ranked, rank } from './rank.js';
import type { LiveLease, Standing, ThreadState } from './thread-state.js';
import { type Judged, tellCandidates } from './told-candidates.js';

type EndedLease = TurnDecision['ended'][number];

/** What is to be done about a thread, and why. Carried out in the commit of what led to it. */
export interface Decisions {
  /** In this order. */
  readonly grants: readonly Standing[];
  readonly ends: readonly EndedLease[];
  readonly renewals: readonly LiveLease[];
  /** The candidates: some in detail, in the order of the score, and all others in groups. */
  readonly candidates: readonly Candidate[];
  readonly others: readonly CandidateGroup[];
  readonly candidateCount: number;
  /** The turn afterwards. */
  readonly turn: Turn;
}

/**
 * Who speaks next in a thread: a pure function of what is known of it, total and deterministic.
 *
 *   open ──somebody may speak──▶ open, with leases
 *     ├──all who may are cooling down──▶ open, looked at again when the first of them may
 *     └──nobody is left, or a bound is reached, and nobody speaks──▶ closed
 *
 * The lease of a run that is at work is renewed. One whose time is over in silence may pass on: to whoever could start
 * now. If nobody could, it is renewed. A run that is silent for too long, or that spent what the turn may cost, loses its lease
 * either way. A channel that is paused or archived starts nobody and replaces nobody.
 */
export function arbitrate(state: ThreadState, policy: AutonomyPolicy, now: number): Decisions {
  const arbitration = new Arbitration(state, policy, now);
  arbitration.endWhatIsOver();
  arbitration.lookAround();
  arbitration.passOn();
  arbitration.fill();
  return arbitration.decided();
}

type Verdict = Eligibility | { readonly may: 'speaking' };

class Arbitration {
  #turn: Turn;
  #live: LiveLease[];
  #verdicts: { readonly candidate: Ranked; readonly verdict: Verdict }[] = [];
  #ready: Ranked[] = [];
  readonly #granted: Standing[] = [];
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

  endWhatIsOver(): void {
    const isOver = isSpent(this.#turn, this.policy);
    for (const lease of this.state.leases) {
      if (isOver) this.#end(lease, 'budget');
      else if (isSilent(lease, this.policy, this.now)) this.#end(lease, 'timeout');
    }
  }

  lookAround(): void {
    const speaking = new Set(this.#live.map(({ sessionId }) => sessionId));
    this.#verdicts = rank(this.#turn, this.state.standings).map((candidate) => ({
      candidate,
      verdict: speaking.has(candidate.standing.sessionId)
        ? { may: 'speaking' }
        : eligibility(candidate.standing, this.#turn, this.policy, this.now),
    }));
    this.#ready = this.#verdicts
      .filter(({ verdict }) => verdict.may === 'start')
      .map(({ candidate }) => candidate);
  }

  /** Those whose time is over in silence make room for those who wait; the others go on. */
  passOn(): void {
    for (const lease of this.#live.filter((live) => isOverdue(live, this.now))) {
      // A run that never began has cost nothing; one of an earlier turn costs this one nothing anyway.
      const replies = this.#isOwn(lease) ? 1 : 0;
      const refund = lease.phase === 'granted' ? replies : 0;
      const mayPassOn = this.#ready.length > 0 && !isActive(lease, this.policy, this.now);
      if (mayPassOn && this.#room({ speakers: 1, replies, runs: refund }) > 0) {
        this.#turn = { ...this.#turn, startedRuns: this.#turn.startedRuns - refund };
        this.#end(lease, lease.phase === 'granted' ? 'unclaimed' : 'superseded');
        // What it took may be all there was.
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

  decided(): Decisions {
    const granted = new Set(this.#granted.map(({ sessionId }) => sessionId));
    return {
      grants: this.#granted,
      ends: this.#ends,
      renewals: this.#renewals,
      ...tellCandidates(
        this.#verdicts.map(({ candidate, verdict }) =>
          judged(candidate, verdict, granted.has(candidate.standing.sessionId)),
        ),
      ),
      candidateCount: this.#verdicts.length,
      turn: this.#turnAfterwards(granted),
    };
  }

  /**
   * How many more could start, if `back` were returned. A speaker of an earlier turn occupies a place, but
   * uses no reply of this turn.
   */
  #room(back = { speakers: 0, replies: 0, runs: 0 }): number {
    if (this.state.paused || isSpent(this.#turn, this.policy)) return 0;
    const { replies, runs } = boundsOf(this.#turn, this.policy);
    const granted = this.#granted.length;
    const speakers = this.#live.length + granted - back.speakers;
    const reserved = this.#live.filter((lease) => this.#isOwn(lease)).length + granted;
    return Math.min(
      this.policy.maxParallelPublicSpeakers - speakers,
      replies - this.#turn.replies - reserved + back.replies,
      runs - this.#turn.startedRuns + back.runs,
    );
  }

  #isOwn({ turnId }: LiveLease): boolean {
    return turnId === this.#turn.turnId;
  }

  #startNext(): void {
    const next = this.#ready.shift();
    if (!next) return;
    this.#granted.push(next.standing);
    this.#turn = { ...this.#turn, startedRuns: this.#turn.startedRuns + 1 };
  }

  #end(lease: LiveLease, outcome: LeaseOutcome): void {
    this.#ends.push({ leaseId: lease.leaseId, outcome });
    this.#live = this.#live.filter(({ leaseId }) => leaseId !== lease.leaseId);
    if (outcome !== 'unclaimed') this.#turn = charged(served(this.#turn, lease), lease);
  }

  #turnAfterwards(granted: ReadonlySet<string>): Turn {
    const { wakeAt: _, ...before } = this.#turn;
    const turn = { ...before, called: before.called.filter((id) => !granted.has(id)) };
    const cooling = this.#verdicts.flatMap(({ verdict }) =>
      verdict.may === 'later' ? [verdict.at] : [],
    );
    const isQuiet = this.#live.length + this.#granted.length === 0;
    const outcome =
      isQuiet && !this.state.paused ? outcomeOf(turn, this.policy, cooling.length > 0) : undefined;
    if (outcome) return { ...turn, closedAt: this.now, outcome };
    const times = this.#live.map((lease) => lookAgainAt(lease, this.policy, this.now));
    if (granted.size > 0) times.push(lookAgainAfterGrant(this.policy, this.now));
    if (this.#room() > 0) times.push(...cooling);
    const wakeAt = Math.min(...times);
    return Number.isFinite(wakeAt) ? { ...turn, wakeAt } : turn;
  }
}

/** A lease of an earlier turn does not use up the new one. */
export function served(
  turn: Turn,
  { turnId, sessionId }: Pick<LiveLease, 'turnId' | 'sessionId'>,
): Turn {
  if (turnId !== turn.turnId || turn.served.includes(sessionId)) return turn;
  return { ...turn, served: [...turn.served, sessionId] };
}

/** What a run took counts although it may not say anything any more. */
const charged = (turn: Turn, { turnId, tokens }: LiveLease): Turn =>
  turnId === turn.turnId ? { ...turn, tokens: turn.tokens + tokens } : turn;

function judged(candidate: Ranked, verdict: Verdict, isGranted: boolean): Judged {
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
