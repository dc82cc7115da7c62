import { statement } from '../sql/statement.js';

export interface DaemonRow {
  daemonId: string;
  startedAt: number;
  seenAt: number;
}

/** On PostgreSQL the clock of the database decides who is alive, since those of daemons differ. */
const NOW = { sqlite: ':now', postgres: '(extract(epoch FROM clock_timestamp()) * 1000)::bigint' };

const BEAT = (now: string): string =>
  `INSERT INTO "daemons" ("daemonId", "startedAt", "seenAt") VALUES (:daemonId, ${now}, ${now})
   ON CONFLICT ("daemonId") DO UPDATE SET "seenAt" = ${now}`;

/** Tells the others that this daemon lives. */
export const beat = statement<{ daemonId: string; now: number }>({
  sqlite: BEAT(NOW.sqlite),
  postgres: BEAT(NOW.postgres),
});

const READ_NOW = (now: string): string => `SELECT ${now} AS "now"`;
/** The time by which leases are judged. */
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

/** Those that nobody has heard of since `before`. */
export const deleteGoneDaemons = statement<{ before: number }>(
  `DELETE FROM "daemons" WHERE "seenAt" < :before`,
);

export interface StandingRow {
  endedAt: number | null;
  ownerId: string | null;
  ownerSeenAt: number | null;
  /** 1 or 0. */
  hasWork: number;
}

/** Whether a session has work, and who is at it; without a lock, and so of a moment ago. */
export const findStanding = statement<{ sessionId: string }, StandingRow>(
  `SELECT s."endedAt", o."daemonId" AS "ownerId", d."seenAt" AS "ownerSeenAt",
     CASE WHEN EXISTS (SELECT 1 FROM "runs" r WHERE r."topicId" = s."topicId" AND r."endedAt" IS NULL)
       THEN 1 ELSE 0 END AS "hasWork"
   FROM "sessions" s
   LEFT JOIN "sessionOwners" o ON o."topicId" = s."topicId"
   LEFT JOIN "daemons" d ON d."daemonId" = o."daemonId"
   WHERE s."sessionId" = :sessionId`,
);

/** Every change of hands is a new epoch; what was written under an older one is refused. */
export const setSessionOwner = statement<{ topicId: number; daemonId: string }>(
  `INSERT INTO "sessionOwners" ("topicId", "daemonId", "epoch") VALUES (:topicId, :daemonId, 1)
   ON CONFLICT ("topicId") DO UPDATE SET "daemonId" = excluded."daemonId",
     "epoch" = "sessionOwners"."epoch" + 1, "activeAt" = NULL`,
);

/** The run that was claimed under this epoch was at work then. */
export const setSessionActive = statement<{
  topicId: number;
  daemonId: string;
  epoch: number;
  at: number;
}>(
  `UPDATE "sessionOwners" SET "activeAt" = :at
   WHERE "topicId" = :topicId AND "daemonId" = :daemonId AND "epoch" = :epoch`,
);

/** All runs that this daemon has under way are at work. */
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

/** What this daemon has under way: a run that is not among these it may not go on with. */
export const listHeldRuns = statement<{ daemonId: string }, { runId: string; epoch: number }>(
  `SELECT r."runId", o."epoch" FROM "sessionOwners" o
   JOIN "runs" r ON r."topicId" = o."topicId" AND r."status" IN ('running', 'waiting_approval', 'waiting_answer')
   WHERE o."daemonId" = :daemonId ORDER BY r."runId"`,
);
