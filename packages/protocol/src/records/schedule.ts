import { z } from 'zod';
import { MISFIRES, OVERLAPS, SCHEDULE_STATUSES } from '../enumerations.js';
import { LIMITS } from '../limits.js';
import { Ceiling } from './ceiling.js';
import { ActorId, ChannelId, EpochMs, RunId, ScheduleId, SessionId } from './ids.js';
import { InputItem, StoredItem } from './message.js';

/** Five or six cron fields (seconds first) in a time zone; a fixed interval; or once. */
export const Cadence = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('cron'),
    expression: z.string().min(1).max(LIMITS.titleChars),
    timeZone: z.string().min(1).max(LIMITS.titleChars).default('UTC'),
  }),
  z.strictObject({ kind: z.literal('interval'), everyMs: z.int().min(5_000).max(31_622_400_000) }),
  z.strictObject({ kind: z.literal('once'), at: EpochMs }),
]);
export type Cadence = z.infer<typeof Cadence>;

/** What happens if the previous item is still being worked on. */
export const Overlap = z.enum(OVERLAPS);
export type Overlap = z.infer<typeof Overlap>;

/** What happens to times that were missed while no daemon ran: one item for all of them, or none. */
export const Misfire = z.enum(MISFIRES);
export type Misfire = z.infer<typeof Misfire>;

export const ScheduleStatus = z.enum(SCHEDULE_STATUSES);
export type ScheduleStatus = z.infer<typeof ScheduleStatus>;

/** Adds items to a session's inbox at given times. */
export const Schedule = z.strictObject({
  scheduleId: ScheduleId,
  sessionId: SessionId,
  title: z.string(),
  cadence: Cadence,
  overlap: Overlap,
  misfire: Misfire,
  inputItems: z.array(StoredItem),
  status: ScheduleStatus,
  nextFireAt: EpochMs.optional(),
  lastFireAt: EpochMs.optional(),
  lastRunId: RunId.optional(),
  fires: z.int().min(0),
  skipped: z.int().min(0),
  maxFires: z.int().min(1).optional(),
  /** The channel and thread, if it was created by a run in a channel. */
  channelId: ChannelId.optional(),
  threadRootMessageId: z.string().optional(),
  createdBy: ActorId,
  createdByRunId: RunId.optional(),
  /** Of the run that created it. */
  ceiling: Ceiling.optional(),
  createdAt: EpochMs,
});
export type Schedule = z.infer<typeof Schedule>;

export const CreateSchedule = z.strictObject({
  sessionId: SessionId,
  title: z.string().max(LIMITS.titleChars).regex(/\S/),
  cadence: Cadence,
  overlap: Overlap.default('skip'),
  misfire: Misfire.default('coalesce_once'),
  maxFires: z.int().min(1).max(1_000_000).optional(),
  text: z.string().min(1).max(LIMITS.textChars).optional(),
  inputItems: z.array(InputItem).min(1).max(LIMITS.inputItems).optional(),
});
export type CreateSchedule = z.infer<typeof CreateSchedule>;
