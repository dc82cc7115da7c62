import type { EventData } from '@stoa/protocol';
import { dump } from '../sql/dump.js';
import { type Json, statement } from '../sql/statement.js';

export interface StimulusRow {
  topicId: number;
  /** The event that created it; it holds the content. */
  seq: number;
  stimulusId: string;
  state: string;
  /** The thread it belongs to, or began. */
  rootMessageId: string | null;
  /** 1 or 0. */
  wakes: number;
  dueAt: number;
  expiresAt: number | null;
  attempts: number;
  claimedAt: number | null;
  claimedBy: string | null;
  dispatchedAt: number | null;
  messageId: string | null;
  reason: string | null;
  error: string | null;
  byStimulusId: string | null;
  endedSeq: number | null;
}

export interface FullStimulusRow extends StimulusRow {
  created: Json<EventData<'stimulus_created'>>;
  createdBy: string;
  createdAt: number;
}

const full = (
  index = '',
): string => `SELECT s.*, e."body" AS "created", e."actor" AS "createdBy", e."at" AS "createdAt"
  FROM "stimuli" s ${index} JOIN "events" e ON e."topicId" = s."topicId" AND e."seq" = s."seq"`;

export const findStimulus = statement<{ topicId: number; stimulusId: string }, FullStimulusRow>(
  `${full()} WHERE s."stimulusId" = :stimulusId AND s."topicId" = :topicId`,
);

/** Newest first. */
export const listStimuli = statement<
  {
    topicId: number;
    state: string | null;
    rootMessageId: string | null;
    before: number;
    limit: number;
  },
  FullStimulusRow
>(
  `${full()} WHERE s."topicId" = :topicId AND s."seq" < :before
     AND (CAST(:state AS TEXT) IS NULL OR s."state" = :state)
     AND (CAST(:rootMessageId AS TEXT) IS NULL OR s."rootMessageId" = :rootMessageId)
   ORDER BY s."seq" DESC LIMIT :limit`,
);

const LIVE = (index: string): string =>
  `SELECT count(*) AS "count" FROM "stimuli" ${index} WHERE "topicId" = :topicId AND "endedSeq" IS NULL`;

/** How many wait or are being posted. */
export const countLiveStimuli = statement<{ topicId: number }, { count: number }>({
  sqlite: LIVE('INDEXED BY "stimuliWaiting"'),
  postgres: LIVE(''),
});

/** Stimuli with this key that wait or are being posted, oldest first. CROSS JOIN makes SQLite begin with the key. */
export const listStimuliByKey = statement<{ topicId: number; key: string }, FullStimulusRow>(
  `SELECT s.*, e."body" AS "created", e."actor" AS "createdBy", e."at" AS "createdAt"
   FROM "stimulusKeys" k CROSS JOIN "stimuli" s CROSS JOIN "events" e
   WHERE k."topicId" = :topicId AND k."key" = :key AND s."stimulusId" = k."stimulusId"
     AND s."endedSeq" IS NULL AND e."topicId" = s."topicId" AND e."seq" = s."seq" ORDER BY s."seq"`,
);

export const insertStimulusKey = statement<{ topicId: number; key: string; stimulusId: string }>(
  `INSERT INTO "stimulusKeys" ("topicId", "key", "stimulusId") VALUES (:topicId, :key, :stimulusId)
   ON CONFLICT DO NOTHING`,
);

export const deleteStimulusKeys = statement<{ stimulusId: string }>(
  `DELETE FROM "stimulusKeys" WHERE "stimulusId" = :stimulusId`,
);

/** Waiting stimuli without keys; each has at least one, which older programs did not store. */
export const listStimuliWithoutKey = statement<{ limit: number }, FullStimulusRow>(
  `${full()} WHERE s."endedSeq" IS NULL AND NOT EXISTS (
     SELECT 1 FROM "stimulusKeys" k WHERE k."stimulusId" = s."stimulusId")
   ORDER BY s."topicId", s."seq" LIMIT :limit`,
);

/** Stimuli that became a message, newest first. */
export const listDispatchedStimuli = statement<{ topicId: number; limit: number }, FullStimulusRow>(
  `${full()} WHERE s."topicId" = :topicId AND s."endedSeq" IS NOT NULL AND s."state" = 'dispatched'
   ORDER BY s."endedSeq" DESC LIMIT :limit`,
);

export interface DueStimulusRow {
  topicId: number;
  channelId: string;
  stimulusId: string;
  dueAt: number;
}

/**
 * Due stimuli, the longest due first: of channels that are not paused and, if they wake an agent, of threads without
 * an active lease. Expired ones are always included. The next page begins after the last row of the previous one.
 */
export const listDueStimuli = statement<
  { now: number; afterDueAt: number; afterId: string; limit: number },
  DueStimulusRow
>(
  `SELECT s."topicId", c."channelId", s."stimulusId", s."dueAt"
   FROM "stimuli" s JOIN "channels" c ON c."topicId" = s."topicId"
   WHERE s."state" = 'pending' AND s."dueAt" <= :now AND s."dueAt" >= :afterDueAt
     AND (s."dueAt" > :afterDueAt OR s."stimulusId" > :afterId) AND (s."expiresAt" <= :now OR (
     c."paused" = 0 AND c."archivedAt" IS NULL AND (s."wakes" = 0 OR NOT EXISTS (
       SELECT 1 FROM "turns" t WHERE t."topicId" = s."topicId"
         AND t."rootMessageId" = s."rootMessageId" AND t."isOpen" = 1))))
   ORDER BY s."dueAt", s."stimulusId" LIMIT :limit`,
);

/** Stimuli that expired before they were due. */
export const listExpiredStimuli = statement<{ now: number; limit: number }, DueStimulusRow>(
  `SELECT s."topicId", c."channelId", s."stimulusId", s."dueAt"
   FROM "stimuli" s JOIN "channels" c ON c."topicId" = s."topicId"
   WHERE s."state" = 'pending' AND s."expiresAt" IS NOT NULL AND s."expiresAt" <= :now AND s."dueAt" > :now
   ORDER BY s."expiresAt" LIMIT :limit`,
);

/** When the next waiting stimulus is due. */
export const nextStimulusAt = statement<{ now: number }, { at: number | null }>(
  `SELECT min("dueAt") AS "at" FROM "stimuli" WHERE "state" = 'pending' AND "dueAt" > :now`,
);

/** When the next waiting stimulus expires. */
export const nextExpiryAt = statement<{ now: number }, { at: number | null }>(
  `SELECT min("expiresAt") AS "at" FROM "stimuli"
   WHERE "state" = 'pending' AND "expiresAt" IS NOT NULL AND "expiresAt" > :now`,
);

/** Claims of daemons that are gone, and claims that are too old. */
export const listLostClaims = statement<
  { daemonId: string; aliveAfter: number; staleBefore: number; limit: number },
  { channelId: string; stimulusId: string }
>(
  `SELECT c."channelId", s."stimulusId" FROM "stimuli" s JOIN "channels" c ON c."topicId" = s."topicId"
   WHERE s."state" = 'claimed' AND (s."claimedAt" <= :staleBefore OR (s."claimedBy" <> :daemonId
     AND NOT EXISTS (SELECT 1 FROM "daemons" d
       WHERE d."daemonId" = s."claimedBy" AND d."seenAt" >= :aliveAfter)))
   ORDER BY s."claimedAt" LIMIT :limit`,
);

export const insertStimulus = statement<
  Pick<
    StimulusRow,
    'topicId' | 'seq' | 'stimulusId' | 'rootMessageId' | 'wakes' | 'dueAt' | 'expiresAt'
  >
>(
  `INSERT INTO "stimuli" ("topicId", "seq", "stimulusId", "state", "rootMessageId", "wakes", "dueAt", "expiresAt")
   VALUES (:topicId, :seq, :stimulusId, 'pending', :rootMessageId, :wakes, :dueAt, :expiresAt)`,
);

export const setStimulusClaimed = statement<{
  stimulusId: string;
  attempts: number;
  daemonId: string;
  at: number;
}>(
  `UPDATE "stimuli" SET "state" = 'claimed', "attempts" = :attempts, "claimedAt" = :at,
     "claimedBy" = :daemonId WHERE "stimulusId" = :stimulusId`,
);

export const setStimulusDeferred = statement<{
  stimulusId: string;
  dueAt: number;
  attempts: number;
  reason: string;
  error: string | null;
}>(
  `UPDATE "stimuli" SET "state" = 'pending', "dueAt" = :dueAt, "attempts" = :attempts, "claimedAt" = NULL, "claimedBy" = NULL,
     "reason" = :reason, "error" = :error WHERE "stimulusId" = :stimulusId`,
);

export const setStimulusDispatched = statement<{
  stimulusId: string;
  messageId: string;
  rootMessageId: string;
  seq: number;
  at: number;
}>(
  `UPDATE "stimuli" SET "state" = 'dispatched', "dispatchedAt" = :at, "messageId" = :messageId,
     "rootMessageId" = :rootMessageId, "reason" = NULL, "endedSeq" = :seq WHERE "stimulusId" = :stimulusId`,
);

export const setStimulusSettled = statement<{
  stimulusId: string;
  state: string;
  reason: string;
  error: string | null;
  byStimulusId: string | null;
  messageId: string | null;
  seq: number;
}>(
  `UPDATE "stimuli" SET "state" = :state, "reason" = :reason, "error" = coalesce(:error, "error"),
     "byStimulusId" = :byStimulusId, "messageId" = :messageId, "endedSeq" = :seq
   WHERE "stimulusId" = :stimulusId`,
);

export const setStimulusReplayed = statement<{ stimulusId: string; dueAt: number }>(
  `UPDATE "stimuli" SET "state" = 'pending', "dueAt" = :dueAt, "attempts" = 0, "claimedAt" = NULL,
     "claimedBy" = NULL, "reason" = NULL, "error" = NULL, "endedSeq" = NULL
   WHERE "stimulusId" = :stimulusId`,
);

/** Keeps the newest ended ones. */
export const forgetEndedStimuli = statement<{ topicId: number; keep: number }>(
  `DELETE FROM "stimuli" WHERE "topicId" = :topicId AND "endedSeq" IS NOT NULL AND "endedSeq" <= (
     SELECT k."endedSeq" FROM "stimuli" k WHERE k."topicId" = :topicId AND k."endedSeq" IS NOT NULL
     ORDER BY k."endedSeq" DESC LIMIT 1 OFFSET :keep)`,
);

/** The tables that the events of stimuli fill. */
export const STIMULUS_TABLES = { stimuli: dump('stimuli', '"seq"') };
