import type { EventData } from '@stoa/protocol';
import { dump } from '../sql/dump.js';
import { type Json, statement } from '../sql/statement.js';

export interface TurnRow {
  topicId: number;
  rootMessageId: string;
  turnId: string;
  seq: number;
  isOpen: number;
  wakeAt: number | null;
}

/** The latest turn of a thread, with the event of its last decision. */
export const findTurn = statement<
  { topicId: number; rootMessageId: string },
  TurnRow & { decided: Json<EventData<'turn_decided'>> }
>(
  `SELECT t.*, e."body" AS "decided" FROM "turns" t
   JOIN "events" e ON e."topicId" = t."topicId" AND e."seq" = t."seq"
   WHERE t."topicId" = :topicId AND t."rootMessageId" = :rootMessageId`,
);

export const putTurn = statement<TurnRow>(
  `INSERT INTO "turns" ("topicId", "rootMessageId", "turnId", "seq", "isOpen", "wakeAt")
   VALUES (:topicId, :rootMessageId, :turnId, :seq, :isOpen, :wakeAt)
   ON CONFLICT ("topicId", "rootMessageId") DO UPDATE SET "turnId" = excluded."turnId",
     "seq" = excluded."seq", "isOpen" = excluded."isOpen", "wakeAt" = excluded."wakeAt"`,
);

/** Open turns that are due for a check, the longest overdue first. */
export const listDueTurns = statement<
  { now: number; limit: number },
  { channelId: string; rootMessageId: string }
>(
  `SELECT c."channelId", t."rootMessageId" FROM "turns" t JOIN "channels" c ON c."topicId" = t."topicId"
   WHERE t."isOpen" = 1 AND t."wakeAt" IS NOT NULL AND t."wakeAt" <= :now
   ORDER BY t."wakeAt" LIMIT :limit`,
);

/** When the next open turn is due for a check. */
export const nextTurnAt = statement<object, { at: number | null }>(
  `SELECT min("wakeAt") AS "at" FROM "turns" WHERE "isOpen" = 1 AND "wakeAt" IS NOT NULL`,
);

export const listOpenTurns = statement<{ topicId: number }, { rootMessageId: string }>(
  `SELECT "rootMessageId" FROM "turns" WHERE "topicId" = :topicId AND "isOpen" = 1
   ORDER BY "rootMessageId"`,
);

export const insertDecision = statement<{ topicId: number; rootMessageId: string; seq: number }>(
  `INSERT INTO "decisions" ("topicId", "rootMessageId", "seq") VALUES (:topicId, :rootMessageId, :seq)`,
);

/** Newest first. */
export const listDecisions = statement<
  { topicId: number; rootMessageId: string; before: number; limit: number },
  { seq: number; at: number; body: Json<EventData<'turn_decided'>> }
>(
  `SELECT e."seq", e."at", e."body" FROM "decisions" d
   JOIN "events" e ON e."topicId" = d."topicId" AND e."seq" = d."seq"
   WHERE d."topicId" = :topicId AND d."rootMessageId" = :rootMessageId AND d."seq" < :before
   ORDER BY d."seq" DESC LIMIT :limit`,
);

/** The tables that the events of turns fill. */
export const TURN_TABLES = {
  turns: dump('turns', '"rootMessageId"'),
  leases: dump('leases', '"seq", "leaseId"'),
  decisions: dump('decisions', '"seq"'),
};
