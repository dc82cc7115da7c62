import { z } from 'zod';
import { TASK_NOTICES, TASK_STATUSES } from '../enumerations.js';
import { LIMITS } from '../limits.js';
import { Ceiling } from './ceiling.js';
import { ActorId, EpochMs, InboxItemId, Metadata, RunId, SessionId, TaskId } from './ids.js';
import { Origin } from './work.js';

/** The kind of task: `shell`, `monitor`, `agent`, `dream`, …; the set is open. */
export const TaskKindName = z.string().regex(/^[a-z][a-z_]{0,31}$/);

/**
 *   queued ──a slot is free──▶ running ◀──▶ paused
 *     └──▶ cancelled             ├──▶ completed ──revived──▶ running
 *                                └──▶ failed, cancelled, lost
 *
 * The last four are ends. `lost`: its outcome is unknown.
 */
export const TaskStatus = z.enum(TASK_STATUSES);
export type TaskStatus = z.infer<typeof TaskStatus>;

/** Who ended it: a caller, the timeout or the daemon. */
const EndedBy = z.union([ActorId, z.literal('timeout')]);

export const TaskEnd = z.strictObject({
  /** Why it ended: `exited`, `signal`, `stopped`, `timeout`, `idle`, `crashed`, … */
  cause: z.string().regex(/^[a-z][a-z_]{0,63}$/),
  message: z.string().max(LIMITS.descriptionChars).optional(),
  exitCode: z.int().optional(),
  signal: z.string().max(32).optional(),
  by: EndedBy.optional(),
});
export type TaskEnd = z.infer<typeof TaskEnd>;

/** It was asked to stop, and has not ended yet. */
export const TaskStopping = z.strictObject({ by: EndedBy, at: EpochMs });
export type TaskStopping = z.infer<typeof TaskStopping>;

/** Whether its session gets a notice of its end: none, due, or sent. */
export const TaskNotice = z.enum(TASK_NOTICES);
export type TaskNotice = z.infer<typeof TaskNotice>;

/** A background task as stored in the log. */
export const TaskEntry = z.strictObject({
  taskId: TaskId,
  kind: TaskKindName,
  description: z.string().max(LIMITS.titleChars),
  /** Its owner now, which gets the notices. */
  sessionId: SessionId,
  /** Where it was started. */
  startedIn: SessionId,
  responsibleId: ActorId,
  runId: RunId.optional(),
  callId: z.string().optional(),
  /** The channel and thread in which it was started. */
  origin: Origin,
  /** Of the run that started it. */
  ceiling: Ceiling.optional(),
  status: TaskStatus,
  /** A tool call waits for it, so nobody else needs a notice of its end. */
  isForeground: z.boolean(),
  createdAt: EpochMs,
  startedAt: EpochMs.optional(),
  endedAt: EpochMs.optional(),
  updatedAt: EpochMs,
  end: TaskEnd.optional(),
  stopping: TaskStopping.optional(),
  /** Why a paused task cannot continue. */
  blockedReason: z.string().max(LIMITS.descriptionChars).optional(),
  notice: TaskNotice,
  /** The inbox item that reports its end. */
  noticeItemId: InboxItemId.optional(),
  /** The machine and data directory of the daemon that runs its processes. */
  location: z.string(),
  outputPath: z.string().optional(),
  transcriptPath: z.string().optional(),
  /** Data of its kind. */
  detail: Metadata,
});
export type TaskEntry = z.infer<typeof TaskEntry>;

/** A background task: work beside the runs of a session. */
export const Task = TaskEntry.extend({
  /** How many of its questions wait for a person. */
  pendingApprovals: z.int().min(0),
});
export type Task = z.infer<typeof Task>;

/** A change of an active task; `null` removes a detail. */
export const TaskChange = TaskEntry.pick({
  status: true,
  description: true,
  isForeground: true,
  startedAt: true,
  notice: true,
  noticeItemId: true,
  outputPath: true,
  transcriptPath: true,
})
  .partial()
  .extend({
    stopping: TaskStopping.nullable().optional(),
    blockedReason: z.string().max(LIMITS.descriptionChars).nullable().optional(),
    detail: Metadata.optional(),
  });
export type TaskChange = z.infer<typeof TaskChange>;

/** Part of the output of a task. Offsets count bytes from its beginning. */
export const TaskOutput = z.strictObject({
  offset: z.int().min(0),
  nextOffset: z.int().min(0),
  /** Earlier output is no longer stored. */
  oldestOffset: z.int().min(0),
  size: z.int().min(0),
  text: z.string(),
  /** The task has ended and this is the end of its output. */
  isComplete: z.boolean(),
});
export type TaskOutput = z.infer<typeof TaskOutput>;

export const SendTaskMessage = z.strictObject({ text: z.string().min(1).max(LIMITS.textChars) });
export type SendTaskMessage = z.infer<typeof SendTaskMessage>;
