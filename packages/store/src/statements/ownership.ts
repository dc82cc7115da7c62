import { statement } from '../sql/statement.js';

export interface DaemonRow {
  daemonId: string;
  startedAt: number;
  seenAt: number;
}

/** On PostgreSQL the clock of the database decides who is alive, because the clocks of daemons differ. */
const NOW = { sqlite: ':now', postgres: '(extract(epoch FROM clock_timestamp()) * 1000)::bigint' };

const BEAT = (now: string): string =>
  `INSERT INTO "daemons" ("daemonId", "startedAt", "seenAt") VALUES (:daemonId, ${now}, ${now})
   ON CONFLICT ("daemonId") DO UPDATE SET "seenAt" = ${now}`;

/** Reports to other daemons that this daemon is alive. */
export const beat = statement<{ daemonId: string; now: number }>({
  sqlite: BEAT(NOW.sqlite),
  postgres: BEAT(NOW.postgres),
});

const READ_NOW = (now: string): string => `SELECT ${now} AS "now"`;
/** The clock for leases. */
export const leaseTime = statement<{ now: number }, { now: number }>({
  sqlite: READ_NOW(NOW.sqlite),
  postgres: READ_NOW(NOW.postgres),
});

export const findDaemon = statement<{ daemonId: string }, DaemonRow>(
  `SELECT * FROM "daemons" WHERE "daemonId" = :daemonId`,
);

export const listDaemonIds = statement<object, { daemonId: string }>(
  `SELECT "daemonId" FROM "daemons" ORDER BY "daemonId"`,
);

export const deleteDaemon = statement<{ daemonId: string }>(
  `DELETE FROM "daemons" WHERE "daemonId" = :daemonId`,
);

export const deleteOtherDaemons = statement<{ daemonId: string }>(
  `DELETE FROM "daemons" WHERE "daemonId" <> :daemonId`,
);

/** Daemons without a heartbeat since `before`. */
export const deleteGoneDaemons = statement<{ before: number }>(
  `DELETE FROM "daemons" WHERE "seenAt" < :before`,
);

export interface SessionWorkRow {
  endedAt: number | null;
  ownerId: string | null;
  ownerSeenAt: number | null;
  /** 1 or 0. */
  hasWork: number;
}

/** Whether a session has work and which daemon owns it. Takes no lock, so the answer may be outdated. */
export const findSessionWork = statement<{ sessionId: string }, SessionWorkRow>(
  `SELECT s."endedAt", o."daemonId" AS "ownerId", d."seenAt" AS "ownerSeenAt",
     CASE WHEN EXISTS (SELECT 1 FROM "runs" r WHERE r."topicId" = s."topicId" AND r."endedAt" IS NULL)
       THEN 1 ELSE 0 END AS "hasWork"
   FROM "sessions" s
   LEFT JOIN "sessionOwners" o ON o."topicId" = s."topicId"
   LEFT JOIN "daemons" d ON d."daemonId" = o."daemonId"
   WHERE s."sessionId" = :sessionId`,
);

/** Every change of owner begins a new epoch; writes under an older one are refused. */
export const setSessionOwner = statement<{ topicId: number; daemonId: string }>(
  `INSERT INTO "sessionOwners" ("topicId", "daemonId", "epoch") VALUES (:topicId, :daemonId, 1)
   ON CONFLICT ("topicId") DO UPDATE SET "daemonId" = excluded."daemonId",
     "epoch" = "sessionOwners"."epoch" + 1, "activeAt" = NULL`,
);

/** Records that the run claimed under this epoch was active. */
export const setSessionActive = statement<{
  topicId: number;
  daemonId: string;
  epoch: number;
  at: number;
}>(
  `UPDATE "sessionOwners" SET "activeAt" = :at
   WHERE "topicId" = :topicId AND "daemonId" = :daemonId AND "epoch" = :epoch`,
);

/** Records that all runs of this daemon are active. */
export const setSessionsActive = statement<{ daemonId: string; at: number }>(
  `UPDATE "sessionOwners" SET "activeAt" = :at WHERE "daemonId" = :daemonId`,
);

export const releaseSession = statement<{ topicId: number; daemonId: string; epoch: number }>(
  `UPDATE "sessionOwners" SET "daemonId" = NULL
   WHERE "topicId" = :topicId AND "daemonId" = :daemonId AND "epoch" = :epoch`,
);

export const releaseSessionsOf = statement<{ daemonId: string }>(
  `UPDATE "sessionOwners" SET "daemonId" = NULL WHERE "daemonId" = :daemonId`,
);

/** The runs that this daemon owns; it may not continue any other. */
export const listHeldRuns = statement<{ daemonId: string }, { runId: string; epoch: number }>(
  `SELECT r."runId", o."epoch" FROM "sessionOwners" o
   JOIN "runs" r ON r."topicId" = o."topicId" AND r."status" IN ('running', 'waiting_approval', 'waiting_answer')
   WHERE o."daemonId" = :daemonId ORDER BY r."runId"`,
);
