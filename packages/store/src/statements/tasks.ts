import type { TaskEntry } from '@stoa/protocol';
import { dump } from '../sql/dump.js';
import { type Json, statement } from '../sql/statement.js';

export interface BackgroundTaskRow {
  topicId: number;
  taskId: string;
  kind: string;
  status: string;
  isEnded: number;
  /** When it started, or when it ended. */
  sortAt: number;
  notice: string;
  noticeItemId: string | null;
  responsibleId: string;
  location: string;
  /** The task as its events describe it. */
  entry: Json<TaskEntry>;
}

export const findBackgroundTask = statement<
  { taskId: string },
  BackgroundTaskRow & { sessionId: string }
>(
  `SELECT t.*, s."sessionId" FROM "tasks" t JOIN "sessions" s ON s."topicId" = t."topicId"
   WHERE t."taskId" = :taskId`,
);

export const findTaskEntry = statement<
  { topicId: number; taskId: string },
  Pick<BackgroundTaskRow, 'entry'>
>(`SELECT "entry" FROM "tasks" WHERE "topicId" = :topicId AND "taskId" = :taskId`);

export const putBackgroundTask = statement<BackgroundTaskRow>(
  `INSERT INTO "tasks" ("topicId", "taskId", "kind", "status", "isEnded", "sortAt", "notice", "noticeItemId",
     "responsibleId", "location", "entry")
   VALUES (:topicId, :taskId, :kind, :status, :isEnded, :sortAt, :notice, :noticeItemId,
     :responsibleId, :location, :entry)
   ON CONFLICT ("topicId", "taskId") DO UPDATE SET "status" = excluded."status", "isEnded" = excluded."isEnded",
     "sortAt" = excluded."sortAt", "notice" = excluded."notice", "noticeItemId" = excluded."noticeItemId",
     "entry" = excluded."entry"`,
);

export const deleteBackgroundTask = statement<{ topicId: number; taskId: string }>(
  `DELETE FROM "tasks" WHERE "topicId" = :topicId AND "taskId" = :taskId`,
);

/** A session and all sessions below it, including ended ones. */
const FAMILY = `WITH RECURSIVE "family" ("sessionId", "topicId") AS (
    SELECT "sessionId", "topicId" FROM "sessions" WHERE "sessionId" = :sessionId
    UNION ALL SELECT c."sessionId", c."topicId"
      FROM "family" f JOIN "sessions" c ON c."parentSessionId" = f."sessionId")`;

export interface TaskFilter {
  kind: string | null;
  status: string | null;
  responsibleId: string | null;
  /** The position after which the page begins. */
  isEnded: number;
  sortAt: number;
  taskId: string;
  limit: number;
}

const SHOWN = `(CAST(:kind AS TEXT) IS NULL OR t."kind" = :kind)
     AND (CAST(:status AS TEXT) IS NULL OR t."status" = :status)
     AND (CAST(:responsibleId AS TEXT) IS NULL OR t."responsibleId" = :responsibleId)
     AND (t."isEnded" > :isEnded OR (t."isEnded" = :isEnded AND (t."sortAt" < :sortAt
       OR (t."sortAt" = :sortAt AND t."taskId" < :taskId))))
   ORDER BY t."isEnded", t."sortAt" DESC, t."taskId" DESC LIMIT :limit`;

/** Active tasks, newest start first; then ended tasks, newest end first. */
export const listBackgroundTasks = statement<TaskFilter, BackgroundTaskRow>(
  `SELECT t.* FROM "tasks" t WHERE ${SHOWN}`,
);

/** The same for one session. */
export const listTasksOfSession = statement<TaskFilter & { topicId: number }, BackgroundTaskRow>(
  `SELECT t.* FROM "tasks" t WHERE t."topicId" = :topicId AND ${SHOWN}`,
);

/** The same for a session and all below it. */
export const listTasksBelow = statement<TaskFilter & { sessionId: string }, BackgroundTaskRow>(
  `${FAMILY} SELECT t.* FROM "tasks" t WHERE t."topicId" IN (SELECT "topicId" FROM "family") AND ${SHOWN}`,
);

/** The sessions of a family that are active or have active tasks. */
export const listFamily = statement<{ sessionId: string }, { sessionId: string }>(
  `${FAMILY} SELECT f."sessionId" FROM "family" f JOIN "sessions" s ON s."topicId" = f."topicId"
   WHERE s."endedAt" IS NULL
     OR EXISTS (SELECT 1 FROM "tasks" t WHERE t."topicId" = f."topicId" AND t."isEnded" = 0)
   ORDER BY f."sessionId"`,
);

export const listLiveTasksOfSession = statement<{ topicId: number }, BackgroundTaskRow>(
  `SELECT * FROM "tasks" WHERE "topicId" = :topicId AND "isEnded" = 0 ORDER BY "taskId"`,
);

export const countLiveTasksOfSession = statement<
  { topicId: number; kind: string | null },
  { count: number }
>(
  `SELECT count(*) AS "count" FROM "tasks" WHERE "topicId" = :topicId AND "isEnded" = 0
     AND (CAST(:kind AS TEXT) IS NULL OR "kind" = :kind)`,
);

const RUNNING = `SELECT count(*) AS "count" FROM "tasks"
  WHERE "responsibleId" = :responsibleId AND "kind" = :kind AND "status" = 'running' AND "isEnded" = 0`;

/** On PostgreSQL requests for a slot of the same kind and person take turns. */
export const countRunningTasks = statement<
  { responsibleId: string; kind: string },
  { count: number }
>({
  sqlite: RUNNING,
  postgres: RUNNING,
  lock: `SELECT pg_advisory_xact_lock(hashtextextended('tasks ' || :responsibleId || ' ' || :kind, 0))`,
});

/** Tasks that wait for a slot: first those that ran before, then by arrival. */
export const listQueuedTasks = statement<
  { location: string; kind: string; sortAt: number; taskId: string; limit: number },
  BackgroundTaskRow & { sessionId: string }
>(
  `SELECT t.*, s."sessionId" FROM "tasks" t JOIN "sessions" s ON s."topicId" = t."topicId"
   WHERE t."isEnded" = 0 AND t."status" = 'queued' AND t."location" = :location AND t."kind" = :kind
     AND (t."sortAt" > :sortAt OR (t."sortAt" = :sortAt AND t."taskId" > :taskId))
   ORDER BY t."sortAt", t."taskId" LIMIT :limit`,
);

/** Active tasks of a location, ordered by id; a daemon recovers them when it starts. */
export const listLiveTasks = statement<
  { location: string; after: string; limit: number },
  BackgroundTaskRow & { sessionId: string }
>(
  `SELECT t.*, s."sessionId" FROM "tasks" t JOIN "sessions" s ON s."topicId" = t."topicId"
   WHERE t."isEnded" = 0 AND t."location" = :location AND t."taskId" > :after ORDER BY t."taskId" LIMIT :limit`,
);

/** Active tasks of a location that were asked to stop. */
export const listTasksToStop = statement<
  { location: string; limit: number },
  BackgroundTaskRow & { sessionId: string }
>(
  `SELECT t.*, s."sessionId" FROM "tasks" t JOIN "sessions" s ON s."topicId" = t."topicId"
   WHERE t."isEnded" = 0 AND t."location" = :location AND t."entry" LIKE '%"stopping":%' ORDER BY t."taskId" LIMIT :limit`,
);

/** Ended tasks of a session with a notice that is due. */
export const listUnreportedTasks = statement<{ topicId: number }, BackgroundTaskRow>(
  `SELECT * FROM "tasks" WHERE "topicId" = :topicId AND "isEnded" = 1 AND "notice" = 'due' ORDER BY "taskId"`,
);

/** The task that an inbox item reports. */
export const findTaskOfNotice = statement<
  { topicId: number; itemId: string },
  Pick<BackgroundTaskRow, 'taskId'>
>(
  `SELECT "taskId" FROM "tasks" WHERE "topicId" = :topicId AND "isEnded" = 1 AND "noticeItemId" = :itemId`,
);

/** Active tasks of sessions that have ended, ordered by id. */
export const listOrphanedTasks = statement<
  { limit: number },
  Pick<BackgroundTaskRow, 'taskId'> & { sessionId: string }
>(
  `SELECT t."taskId", s."sessionId" FROM "tasks" t JOIN "sessions" s ON s."topicId" = t."topicId"
   WHERE t."isEnded" = 0 AND s."endedAt" IS NOT NULL ORDER BY t."taskId" LIMIT :limit`,
);

/** Ended tasks with a notice that is due, oldest first. */
export const listTasksToReport = statement<
  { sortAt: number; taskId: string; limit: number },
  Pick<BackgroundTaskRow, 'taskId' | 'sortAt'> & { sessionId: string }
>(
  `SELECT t."taskId", t."sortAt", s."sessionId" FROM "tasks" t JOIN "sessions" s ON s."topicId" = t."topicId"
   WHERE t."isEnded" = 1 AND t."notice" = 'due'
     AND (t."sortAt" > :sortAt OR (t."sortAt" = :sortAt AND t."taskId" > :taskId))
   ORDER BY t."sortAt", t."taskId" LIMIT :limit`,
);

export const countEndedTasks = statement<{ topicId: number; kind: string }, { count: number }>(
  `SELECT count(*) AS "count" FROM "tasks" WHERE "topicId" = :topicId AND "kind" = :kind AND "isEnded" = 1`,
);

/** The oldest ended tasks whose sessions have taken the notice or need none. */
export const listTasksToEvict = statement<
  { topicId: number; kind: string; limit: number },
  Pick<BackgroundTaskRow, 'taskId' | 'entry'>
>(
  `SELECT t."taskId", t."entry" FROM "tasks" t LEFT JOIN "inboxItems" i ON i."itemId" = t."noticeItemId"
   WHERE t."topicId" = :topicId AND t."kind" = :kind AND t."isEnded" = 1 AND t."notice" <> 'due'
     AND (i."state" IS NULL OR i."state" <> 'waiting')
   ORDER BY t."sortAt", t."taskId" LIMIT :limit`,
);

/** A session and the sessions above it, nearest first. */
export const listSessionsAbove = statement<
  { sessionId: string },
  { sessionId: string; endedAt: number | null }
>(
  `WITH RECURSIVE "above" ("sessionId", "parentSessionId", "endedAt", "depth") AS (
     SELECT "sessionId", "parentSessionId", "endedAt", 0 FROM "sessions" WHERE "sessionId" = :sessionId
     UNION ALL SELECT p."sessionId", p."parentSessionId", p."endedAt", a."depth" + 1
       FROM "above" a JOIN "sessions" p ON p."sessionId" = a."parentSessionId")
   SELECT "sessionId", "endedAt" FROM "above" ORDER BY "depth"`,
);

export const countPendingApprovals = statement<{ sessionId: string }, { count: number }>(
  `SELECT count(*) AS "count" FROM "approvals" a JOIN "sessions" s ON s."topicId" = a."topicId"
   WHERE s."sessionId" = :sessionId AND a."state" = 'pending'`,
);

/** The tables that the events of tasks fill. */
export const TASK_TABLES = { tasks: dump('tasks', '"taskId"') };
