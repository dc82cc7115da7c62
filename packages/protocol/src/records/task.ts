import { z } from 'zod';
import { TASK_NOTICES, TASK_STATUSES } from '../enumerations.js';
import { LIMITS } from '../limits.js';
import { Ceiling } from './ceiling.js';
import { ActorId, EpochMs, InboxItemId, Metadata, RunId, SessionId, TaskId } from './ids.js';
import { Origin } from './work.js';

/** What sort of task it is: `shell`, `monitor`, `agent`, `dream`, …; the set is open. */
export const TaskKindName = z.string().regex(/^[a-z][a-z_]{0,31}$/);

/**
 *   queued ──a place is free──▶ running ◀──▶ paused
 *     └──▶ cancelled              ├──▶ completed ──revived──▶ running
 *                                 └──▶ failed, cancelled, lost
 *
 * The last four are ends. `lost`: nobody can say any more what became of it.
 */
export const TaskStatus = z.enum(TASK_STATUSES);
export type TaskStatus = z.infer<typeof TaskStatus>;

/** Who ended it: a caller, the clock or the daemon. */
const EndedBy = z.union([ActorId, z.literal('timeout')]);

export const TaskEnd = z.strictObject({
  /** What brought it about: `exited`, `signal`, `stopped`, `timeout`, `idle`, `crashed`, … */
  cause: z.string().regex(/^[a-z][a-z_]{0,63}$/),
  message: z.string().max(LIMITS.descriptionChars).optional(),
  exitCode: z.int().optional(),
  signal: z.string().max(32).optional(),
  by: EndedBy.optional(),
});
export type TaskEnd = z.infer<typeof TaskEnd>;

/** Asked to stop, and not gone yet. */
export const TaskStopping = z.strictObject({ by: EndedBy, at: EpochMs });
export type TaskStopping = z.infer<typeof TaskStopping>;

/** Whether its session is told of its end: never, when it has ended, or it has been. */
export const TaskNotice = z.enum(TASK_NOTICES);
export type TaskNotice = z.infer<typeof TaskNotice>;

/** A background task as the log keeps it. */
export const TaskEntry = z.strictObject({
  taskId: TaskId,
  kind: TaskKindName,
  description: z.string().max(LIMITS.titleChars),
  /** Whose it is now: notices go there. */
  sessionId: SessionId,
  /** Where it was started. */
  startedIn: SessionId,
  responsibleId: ActorId,
  runId: RunId.optional(),
  callId: z.string().optional(),
  /** The channel and thread it was started in. */
  origin: Origin,
  /** Of the run that started it. */
  ceiling: Ceiling.optional(),
  status: TaskStatus,
  /** A tool call waits for it, so that nobody else needs to be told of its end. */
  isForeground: z.boolean(),
  createdAt: EpochMs,
  startedAt: EpochMs.optional(),
  endedAt: EpochMs.optional(),
  updatedAt: EpochMs,
  end: TaskEnd.optional(),
  stopping: TaskStopping.optional(),
  /** Why one that is paused cannot go on. */
  blockedReason: z.string().max(LIMITS.descriptionChars).optional(),
  notice: TaskNotice,
  /** The inbox item that tells of its end. */
  noticeItemId: InboxItemId.optional(),
  /** The machine and data directory of the daemon whose processes it runs in. */
  location: z.string(),
  outputPath: z.string().optional(),
  transcriptPath: z.string().optional(),
  /** What its kind says of it. */
  detail: Metadata,
});
export type TaskEntry = z.infer<typeof TaskEntry>;

/** A background task: what goes on beside the runs of a session. */
export const Task = TaskEntry.extend({
  /** How many questions of it wait for a person. */
  pendingApprovals: z.int().min(0),
});
export type Task = z.infer<typeof Task>;

/** What changes in a task while it lives; a detail that is null is taken out. */
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

/** Part of what a task put out. Offsets count bytes from its beginning. */
export const TaskOutput = z.strictObject({
  offset: z.int().min(0),
  nextOffset: z.int().min(0),
  /** What was put out before this is not kept any more. */
  oldestOffset: z.int().min(0),
  size: z.int().min(0),
  text: z.string(),
  /** The task has ended and nothing comes after this. */
  isComplete: z.boolean(),
});
export type TaskOutput = z.infer<typeof TaskOutput>;

export const SendTaskMessage = z.strictObject({ text: z.string().min(1).max(LIMITS.textChars) });
export type SendTaskMessage = z.infer<typeof SendTaskMessage>;
