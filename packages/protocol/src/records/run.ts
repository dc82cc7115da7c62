import { z } from 'zod';
import { CANCEL_REASONS, FAILURE_PHASES, RUN_STATUSES } from '../enumerations.js';
import { requested } from './ceiling.js';
import { EpochMs, InboxItemId, RunId, SessionId } from './ids.js';
import { StoredItem } from './message.js';
import { Usage } from './usage.js';
import { Origin, Priority, WorkKind } from './work.js';

/**
 *   queued ──claimed──▶ running ◀──▶ waiting_approval, waiting_answer
 *     │                    └──▶ completed, failed, cancelled, interrupted
 *     └──▶ cancelled, failed
 *
 * The last four are terminal and absorb: nothing leaves them.
 */
export const RunStatus = z.enum(RUN_STATUSES);
export type RunStatus = z.infer<typeof RunStatus>;

export const CancelReason = z.enum(CANCEL_REASONS);
export type CancelReason = z.infer<typeof CancelReason>;

/** Where a run failed: before the agent answered, in the agent, in a tool, or while its answer was published. */
export const FailurePhase = z.enum(FAILURE_PHASES);
export const RunFailure = z.strictObject({
  phase: FailurePhase,
  code: z.string(),
  message: z.string(),
});
export type RunFailure = z.infer<typeof RunFailure>;

/** One execution of a session. */
export const Run = z.strictObject({
  runId: RunId,
  sessionId: SessionId,
  kind: WorkKind,
  status: RunStatus,
  priority: Priority,
  itemIds: z.array(InboxItemId),
  origin: Origin,
  ...requested,
  createdAt: EpochMs,
  startedAt: EpochMs.optional(),
  endedAt: EpochMs.optional(),
  /** How often a daemon started it: more than once after a crash. */
  attempts: z.int().min(0),
  cancelReason: CancelReason.optional(),
  failure: RunFailure.optional(),
  /** Its final output. */
  output: z.array(StoredItem).optional(),
  usage: Usage,
});
export type Run = z.infer<typeof Run>;

/** The result of cancelling; an ended run is not changed. */
export const CancelAnswer = z.strictObject({ cancelled: z.boolean(), run: Run });
export type CancelAnswer = z.infer<typeof CancelAnswer>;
