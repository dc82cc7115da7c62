import { z } from 'zod';
import { APPROVAL_KINDS, APPROVAL_SCOPES, APPROVAL_STATES } from '../enumerations.js';
import { LIMITS } from '../limits.js';
import { requested } from './ceiling.js';
import { ActorId, ApprovalId, EpochMs, RunId, SessionId } from './ids.js';

/** `tool` asks whether one exact call may run; `question` is a question of the agent. */
export const ApprovalKind = z.enum(APPROVAL_KINDS);
export type ApprovalKind = z.infer<typeof ApprovalKind>;

/**
 *   pending ──▶ allowed, denied, answered   by a person
 *           ──▶ expired                     nobody answered in time
 *           ──▶ withdrawn                   its run ended first
 */
export const ApprovalState = z.enum(APPROVAL_STATES);
export type ApprovalState = z.infer<typeof ApprovalState>;

/** Which later calls an answer covers. */
export const ApprovalScope = z.enum(APPROVAL_SCOPES);
export type ApprovalScope = z.infer<typeof ApprovalScope>;

export const QuestionOption = z.strictObject({
  label: z.string().min(1).max(LIMITS.titleChars),
  description: z.string().max(LIMITS.descriptionChars).optional(),
});

/** A durable question about one exact tool call. */
export const Approval = z.strictObject({
  approvalId: ApprovalId,
  kind: ApprovalKind,
  sessionId: SessionId,
  runId: RunId,
  callId: z.string(),
  tool: z.string(),
  /** One line for a list. */
  title: z.string(),
  /** The exact arguments; the approval covers nothing else. */
  input: z.json(),
  inputHash: z.string(),
  /**
   * A preview of the call, such as a diff. It contains text of the agent, so it is shown separately from the
   * daemon's.
   */
  detail: z.string().optional(),
  /** Facts about the call: where it runs, what the sandbox prevents. Contains no text of the agent. */
  notes: z.array(z.string()).optional(),
  /** The rule or the mode that requires it. */
  reason: z.string(),
  ...requested,
  /** Who may answer: `responsible` is the person the session works for, and the owner. */
  answerableBy: z.enum(['responsible', 'owner']).optional(),
  /** The rule that "always" would add. */
  suggestedRule: z.string().optional(),
  options: z.array(QuestionOption).optional(),
  state: ApprovalState,
  scope: ApprovalScope.optional(),
  answeredBy: ActorId.optional(),
  updatedInput: z.json().optional(),
  answer: z.string().optional(),
  createdAt: EpochMs,
  expiresAt: EpochMs,
  settledAt: EpochMs.optional(),
});
export type Approval = z.infer<typeof Approval>;

export const AnswerApproval = z.discriminatedUnion('decision', [
  z.strictObject({
    decision: z.literal('allow'),
    /** Default: once. */
    scope: ApprovalScope.optional(),
    /** Runs instead of the requested input. */
    updatedInput: z.json().optional(),
    /** The hash of the input that the answer is for; another input is refused. */
    inputHash: z.string().optional(),
  }),
  z.strictObject({
    decision: z.literal('deny'),
    scope: ApprovalScope.optional(),
    /** Passed to the agent. */
    message: z.string().max(LIMITS.descriptionChars).optional(),
  }),
  z.strictObject({
    decision: z.literal('answer'),
    answer: z.string().min(1).max(LIMITS.textChars),
  }),
]);
export type AnswerApproval = z.infer<typeof AnswerApproval>;
