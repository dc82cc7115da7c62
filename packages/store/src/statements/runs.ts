import type { EventData } from '@stoa/protocol';
import { dump } from '../sql/dump.js';
import { type Json, statement } from '../sql/statement.js';

export interface RunRow {
  topicId: number;
  /** The event that queued it. */
  seq: number;
  runId: string;
  kind: string;
  status: string;
  /** The rule of the item for which it was created: a later `collect` may join a queued run of that rule. */
  rule: string;
  priority: number;
  channelId: string | null;
  createdAt: number;
  startedAt: number | null;
  endedAt: number | null;
  attempts: number;
  /** The last event that emitted output. */
  outputSeq: number | null;
  /** The event that ended it. */
  endSeq: number | null;
}

/** A run with its session and the event that queued it. */
export interface QueuedRunRow extends RunRow {
  sessionId: string;
  queued: Json<EventData<'queued'>>;
}

/** With the event that ended it, and the tokens of its model calls. */
export interface FullRunRow extends QueuedRunRow {
  end: string | null;
  modelCalls: number | null;
  inputTokens: number | null;
  cachedInputTokens: number | null;
  outputTokens: number | null;
  cost: number | null;
  unpriced: number | null;
}

/** A subquery per run: a joined sum over all runs would be computed again each time. */
const TOOK = (sum: string): string =>
  `(SELECT ${sum} FROM "modelCalls" u WHERE u."runId" = r."runId")`;
const TOOK_COUNT = (of: string): string => TOOK(`CAST(sum(${of}) AS BIGINT)`);

const FULL = `SELECT r.*, s."sessionId", q."body" AS "queued", e."body" AS "end",
    ${TOOK_COUNT('u."modelCalls"')} AS "modelCalls", ${TOOK_COUNT('u."inputTokens"')} AS "inputTokens",
    ${TOOK_COUNT('u."cachedInputTokens"')} AS "cachedInputTokens", ${TOOK_COUNT('u."outputTokens"')} AS "outputTokens",
    ${TOOK('sum(u."cost")')} AS "cost", ${TOOK_COUNT('CASE WHEN u."cost" IS NULL THEN 1 ELSE 0 END')} AS "unpriced"
  FROM "runs" r
  JOIN "sessions" s ON s."topicId" = r."topicId"
  JOIN "events" q ON q."topicId" = r."topicId" AND q."seq" = r."seq"
  LEFT JOIN "events" e ON e."topicId" = r."topicId" AND e."seq" = r."endSeq"`;

export const findRun = statement<{ runId: string }, FullRunRow>(`${FULL} WHERE r."runId" = :runId`);

/** The columns that starting and ending a run need. */
const QUEUED = `SELECT r.*, s."sessionId", q."body" AS "queued" FROM "runs" r
  JOIN "sessions" s ON s."topicId" = r."topicId"
  JOIN "events" q ON q."topicId" = r."topicId" AND q."seq" = r."seq"`;

export const findQueuedRun = statement<{ runId: string }, QueuedRunRow>(
  `${QUEUED} WHERE r."runId" = :runId`,
);

/** Newest first. `before` is the sequence of the event that queued a run. */
export const listRunsOfSession = statement<
  { topicId: number; before: number; limit: number },
  FullRunRow
>(`${FULL} WHERE r."topicId" = :topicId AND r."seq" < :before ORDER BY r."seq" DESC LIMIT :limit`);

export const findRunRow = statement<{ runId: string }, RunRow & { sessionId: string }>(
  `SELECT r.*, s."sessionId" FROM "runs" r JOIN "sessions" s ON s."topicId" = r."topicId"
   WHERE r."runId" = :runId`,
);

export const insertRun = statement<
  Pick<RunRow, 'topicId' | 'seq' | 'runId' | 'kind' | 'rule' | 'priority' | 'channelId'> & {
    at: number;
  }
>(
  `INSERT INTO "runs" ("topicId", "seq", "runId", "kind", "status", "rule", "priority", "channelId", "createdAt")
   VALUES (:topicId, :seq, :runId, :kind, 'queued', :rule, :priority, :channelId, :at)`,
);

/** The next run: by priority, then by arrival. */
export const nextQueuedRun = statement<{ topicId: number }, QueuedRunRow>(
  `${QUEUED} WHERE r."topicId" = :topicId AND r."status" = 'queued'
   ORDER BY r."priority" DESC, r."seq" LIMIT 1`,
);

export const listQueuedRuns = statement<{ topicId: number; limit: number }, RunRow>(
  `SELECT * FROM "runs" WHERE "topicId" = :topicId AND "status" = 'queued'
   ORDER BY "priority" DESC, "seq" LIMIT :limit`,
);

export const countQueuedRuns = statement<{ topicId: number }, { count: number }>(
  `SELECT count(*) AS "count" FROM "runs" WHERE "topicId" = :topicId AND "status" = 'queued'`,
);

export const setRunStarted = statement<{ runId: string; at: number }>(
  `UPDATE "runs" SET "status" = 'running', "startedAt" = coalesce("startedAt", :at), "attempts" = "attempts" + 1
   WHERE "runId" = :runId`,
);

/** A daemon resumes the run, after a restart or in place of another. */
export const setRunResumed = statement<{ runId: string }>(
  `UPDATE "runs" SET "attempts" = "attempts" + 1 WHERE "runId" = :runId`,
);

export const setRunStatus = statement<{ runId: string; status: string }>(
  `UPDATE "runs" SET "status" = :status WHERE "runId" = :runId`,
);

export const setRunOutput = statement<{ runId: string; seq: number }>(
  `UPDATE "runs" SET "outputSeq" = :seq WHERE "runId" = :runId`,
);

export const setRunEnded = statement<{ runId: string; status: string; at: number; seq: number }>(
  `UPDATE "runs" SET "status" = :status, "endedAt" = :at, "endSeq" = :seq WHERE "runId" = :runId`,
);

const UNOWNED_WORK = (join: string): string =>
  `SELECT DISTINCT s."sessionId" FROM "runs" r
   ${join} "sessions" s ON s."topicId" = r."topicId"
   LEFT JOIN "sessionOwners" o ON o."topicId" = r."topicId"
   LEFT JOIN "daemons" d ON d."daemonId" = o."daemonId"
   WHERE r."endedAt" IS NULL
     AND (o."daemonId" IS NULL OR o."daemonId" = :daemonId OR d."seenAt" IS NULL OR d."seenAt" < :aliveAfter)
     AND s."sessionId" > :after
   ORDER BY s."sessionId" LIMIT :limit`;

/**
 * Sessions with work that no living daemon owns, ordered by id. A daemon counts as living if it was seen after
 * `aliveAfter`. The cross join makes SQLite keep the written order; by default it begins with all sessions.
 */
export const listUnownedWork = statement<
  { daemonId: string; aliveAfter: number; after: string; limit: number },
  { sessionId: string }
>({ sqlite: UNOWNED_WORK('CROSS JOIN'), postgres: UNOWNED_WORK('JOIN') });

export const insertModelCall = statement<{
  topicId: number;
  seq: number;
  runId: string;
  channelId: string | null;
  provider: string | null;
  model: string | null;
  at: number;
  modelCalls: number;
  inputTokens: number;
  cachedInputTokens: number;
  outputTokens: number;
  cost: number | null;
}>(
  `INSERT INTO "modelCalls" ("topicId", "seq", "runId", "channelId", "provider", "model", "at",
     "modelCalls", "inputTokens", "cachedInputTokens", "outputTokens", "cost")
   VALUES (:topicId, :seq, :runId, :channelId, :provider, :model, :at,
     :modelCalls, :inputTokens, :cachedInputTokens, :outputTokens, :cost)`,
);

/** The tables that the events of runs fill. */
export const RUN_TABLES = { runs: dump('runs', '"seq"'), modelCalls: dump('modelCalls', '"seq"') };
