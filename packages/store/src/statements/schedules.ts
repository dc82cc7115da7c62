import type { EventData } from '@stoa/protocol';
import { dump } from '../sql/dump.js';
import { type Json, statement } from '../sql/statement.js';

export interface ScheduleRow {
  topicId: number;
  /** The event that created it; it holds what it does and when. */
  seq: number;
  scheduleId: string;
  status: string;
  nextFireAt: number | null;
  lastFireAt: number | null;
  lastRunId: string | null;
  fires: number;
  skipped: number;
}

export interface FullScheduleRow extends ScheduleRow {
  sessionId: string;
  created: Json<EventData<'schedule_created'>>;
  createdBy: string;
  createdAt: number;
}

const FULL = `SELECT c.*, s."sessionId", e."body" AS "created", e."actor" AS "createdBy", e."at" AS "createdAt"
  FROM "schedules" c
  JOIN "sessions" s ON s."topicId" = c."topicId"
  JOIN "events" e ON e."topicId" = c."topicId" AND e."seq" = c."seq"`;

export const findSchedule = statement<{ scheduleId: string }, FullScheduleRow>(
  `${FULL} WHERE c."scheduleId" = :scheduleId`,
);

export const listSchedules = statement<
  { before: string; sessionId: string | null; responsibleId: string | null; limit: number },
  FullScheduleRow
>(
  `${FULL} WHERE c."scheduleId" < :before AND (CAST(:sessionId AS TEXT) IS NULL OR s."sessionId" = :sessionId)
     AND (CAST(:responsibleId AS TEXT) IS NULL OR s."responsibleId" = :responsibleId)
   ORDER BY c."scheduleId" DESC LIMIT :limit`,
);

export const countActiveSchedules = statement<{ topicId: number }, { count: number }>(
  `SELECT count(*) AS "count" FROM "schedules" WHERE "topicId" = :topicId AND "status" <> 'ended'`,
);

export const listDueSchedules = statement<{ now: number; limit: number }, FullScheduleRow>(
  `${FULL} WHERE c."status" = 'active' AND c."nextFireAt" <= :now ORDER BY c."nextFireAt" LIMIT :limit`,
);

/** When the next active one fires; it may be due already. */
export const nextScheduleAt = statement<object, { at: number | null }>(
  `SELECT min("nextFireAt") AS "at" FROM "schedules" WHERE "status" = 'active'`,
);

const BOUND = (
  index: string,
): string => `SELECT c."scheduleId", s."sessionId", e."body" AS "created"
  FROM "schedules" c ${index}
  JOIN "sessions" s ON s."topicId" = c."topicId"
  JOIN "events" e ON e."topicId" = c."topicId" AND e."seq" = c."seq"
  WHERE c."status" = 'active' AND e."body" LIKE '%"threadRootMessageId"%' ORDER BY c."nextFireAt" LIMIT :limit`;

/** Active schedules that were created in a thread. */
export const listBoundSchedules = statement<
  { limit: number },
  Pick<FullScheduleRow, 'scheduleId' | 'sessionId' | 'created'>
>({ sqlite: BOUND('INDEXED BY "schedulesDue"'), postgres: BOUND('') });

export const insertSchedule = statement<
  Pick<ScheduleRow, 'topicId' | 'seq' | 'scheduleId' | 'nextFireAt'>
>(
  `INSERT INTO "schedules" ("topicId", "seq", "scheduleId", "status", "nextFireAt")
   VALUES (:topicId, :seq, :scheduleId, 'active', :nextFireAt)`,
);

export const setScheduleStatus = statement<{
  scheduleId: string;
  status: string;
  nextFireAt: number | null;
}>(
  `UPDATE "schedules" SET "status" = :status, "nextFireAt" = :nextFireAt WHERE "scheduleId" = :scheduleId`,
);

export const setScheduleFired = statement<{
  scheduleId: string;
  at: number;
  runId: string | null;
  fires: number;
  skipped: number;
}>(
  `UPDATE "schedules" SET "lastFireAt" = :at, "lastRunId" = coalesce(:runId, "lastRunId"),
     "fires" = "fires" + :fires, "skipped" = "skipped" + :skipped WHERE "scheduleId" = :scheduleId`,
);

/** The tables that the events of schedules fill. */
export const SCHEDULE_TABLES = { schedules: dump('schedules', '"seq"') };
