import { z } from 'zod';
import { CANDIDATE_REASONS, LEASE_OUTCOMES, LEASE_PHASES, TURN_OUTCOMES } from '../enumerations.js';
import { requested } from './ceiling.js';
import {
  EpochMs,
  LeaseId,
  MemberId,
  MessageId,
  RunId,
  Seq,
  SessionId,
  StimulusId,
  TurnId,
} from './ids.js';

/** How a lease ended: what its run did, or why it was revoked. */
export const LeaseOutcome = z.enum(LEASE_OUTCOMES);
export type LeaseOutcome = z.infer<typeof LeaseOutcome>;

/**
 *   granted ──its run starts──▶ running ◀──▶ waiting (for people; its time is paused)
 *      └──not taken up in time─┴──▶ ended
 */
export const LeasePhase = z.enum(LEASE_PHASES);
export type LeasePhase = z.infer<typeof LeasePhase>;

/** One session's right to speak in one thread, for one run. Without it nothing is published. */
export const Lease = z.strictObject({
  leaseId: LeaseId,
  turnId: TurnId,
  threadRootMessageId: MessageId,
  originMessageId: MessageId,
  memberId: MemberId,
  sessionId: SessionId,
  runId: RunId,
  phase: LeasePhase,
  grantedAt: EpochMs,
  /** From then on it may pass to another session; it does not end automatically. */
  deadline: EpochMs,
  endedAt: EpochMs.optional(),
  outcome: LeaseOutcome.optional(),
});
export type Lease = z.infer<typeof Lease>;

/** How a turn ended: somebody spoke, nobody wanted to, or a limit was reached. */
export const TurnOutcome = z.enum(TURN_OUTCOMES);
export type TurnOutcome = z.infer<typeof TurnOutcome>;

/** What one message opened in a thread: a budget, and who may use it. */
export const Turn = z.strictObject({
  turnId: TurnId,
  threadRootMessageId: MessageId,
  originMessageId: MessageId,
  openedAt: EpochMs,
  /** Sessions that the message names, in order. */
  selected: z.array(SessionId),
  /** Sessions that a person started explicitly: these may be `manual_only`. */
  byHand: z.array(SessionId).optional(),
  /** It names people and no session. */
  isForPeople: z.boolean(),
  /** Sessions that the last reply of an agent names. */
  called: z.array(SessionId),
  /** That reply. */
  calledByMessageId: MessageId.optional(),
  /** A stimulus opened it, with a separate budget; its sender gets no turn. */
  stimulus: z
    .strictObject({
      stimulusId: StimulusId,
      senderSessionId: SessionId.optional(),
      replies: z.int().min(1),
    })
    .optional(),
  /** Sessions whose lease has ended. */
  served: z.array(SessionId),
  replies: z.int().min(0),
  startedRuns: z.int().min(0),
  tokens: z.int().min(0),
  /** When it must be reevaluated, if nothing happens before. */
  wakeAt: EpochMs.optional(),
  closedAt: EpochMs.optional(),
  outcome: TurnOutcome.optional(),
});
export type Turn = z.infer<typeof Turn>;

/** Why a candidate has its position in the order, or has none. */
export const CandidateReason = z.enum(CANDIDATE_REASONS);
export type CandidateReason = z.infer<typeof CandidateReason>;

/** One part of the order. A value below 0 speaks for a candidate, above 0 against it. */
export const ScorePart = z.strictObject({ by: z.string(), value: z.number() });
export type ScorePart = z.infer<typeof ScorePart>;

export const Candidate = z.strictObject({
  memberId: MemberId,
  sessionId: SessionId,
  verdict: z.enum(['granted', 'queued', 'speaking', 'skipped']),
  reason: CandidateReason,
  score: z.array(ScorePart),
});
export type Candidate = z.infer<typeof Candidate>;

/** Candidates with the same decision. */
export const CandidateGroup = z.strictObject({
  verdict: Candidate.shape.verdict,
  reason: CandidateReason,
  count: z.int().min(1),
  /** Some of them. The first group of a decision has everybody who is in none of the others. */
  memberIds: z.array(MemberId),
  /**
   * The tags of other members of the group, three characters each (`memberTag`). A member that is listed by id in any
   * group belongs to that one.
   */
  memberTags: z.string().optional(),
});
export type CandidateGroup = z.infer<typeof CandidateGroup>;

/** Why the daemon evaluated a thread. */
export const TurnTrigger = z.strictObject({
  type: z.enum(['message', 'run_ended', 'answered', 'time', 'resumed', 'cancelled']),
  messageId: MessageId.optional(),
  runId: RunId.optional(),
});
export type TurnTrigger = z.infer<typeof TurnTrigger>;

/** A decision about a thread: the candidates, in the order compared, and the result. */
export const TurnDecision = z.strictObject({
  trigger: TurnTrigger,
  turn: Turn,
  /** The most relevant candidates; the others are in groups, and `candidateCount` counts all of them. */
  candidates: z.array(Candidate),
  others: z.array(CandidateGroup).optional(),
  candidateCount: z.int().min(0),
  granted: z.array(
    Lease.pick({
      leaseId: true,
      memberId: true,
      sessionId: true,
      runId: true,
      deadline: true,
    }).extend(requested),
  ),
  renewed: z.array(Lease.pick({ leaseId: true, deadline: true })),
  ended: z.array(
    z.strictObject({
      leaseId: LeaseId,
      /** Whose lease it was. */
      memberId: MemberId.optional(),
      outcome: LeaseOutcome,
      /** Why its run did not finish: the code of its failure, or why it was cancelled. */
      reason: z.string().optional(),
      /** The failure as text, on one line. */
      detail: z.string().optional(),
      /** How much it wrote, if nothing was published. */
      unpublishedChars: z.int().min(1).optional(),
    }),
  ),
});
export type TurnDecision = z.infer<typeof TurnDecision>;

/** A decision with its position in the log of the channel. */
export const StampedDecision = TurnDecision.extend({ seq: Seq, at: EpochMs });
export type StampedDecision = z.infer<typeof StampedDecision>;
