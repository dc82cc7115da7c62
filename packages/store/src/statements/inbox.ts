import type { EventData } from '@stoa/protocol';
import { dump } from '../sql/dump.js';
import { type Json, statement } from '../sql/statement.js';

export interface InboxItemRow {
  topicId: number;
  /** The event that accepted it; it holds the content. */
  seq: number;
  itemId: string;
  kind: string;
  state: string;
  runId: string;
  fromId: string;
  expiresAt: number | null;
  attempts: number;
  reason: string | null;
  createdAt: number;
  settledAt: number | null;
}

export interface FullInboxItemRow extends InboxItemRow {
  sessionId: string;
  accepted: Json<EventData<'accepted'>>;
}

const FULL = `SELECT i.*, s."sessionId", e."body" AS "accepted" FROM "inboxItems" i
  JOIN "sessions" s ON s."topicId" = i."topicId"
  JOIN "events" e ON e."topicId" = i."topicId" AND e."seq" = i."seq"`;

export const findInboxItem = statement<{ itemId: string }, FullInboxItemRow>(
  `${FULL} WHERE i."itemId" = :itemId`,
);

/** Newest first. */
export const listInboxItems = statement<
  { topicId: number; before: number; state: string | null; kind: string | null; limit: number },
  FullInboxItemRow
>(
  `${FULL} WHERE i."topicId" = :topicId AND i."seq" < :before
     AND (CAST(:state AS TEXT) IS NULL OR i."state" = :state)
     AND (CAST(:kind AS TEXT) IS NULL OR i."kind" = :kind)
   ORDER BY i."seq" DESC LIMIT :limit`,
);

export const listItemsOfRun = statement<{ runId: string }, FullInboxItemRow>(
  `${FULL} WHERE i."runId" = :runId ORDER BY i."seq"`,
);

/** Items of a run that it has not taken yet. An index keeps this fast after thousands of taken items. */
export const listWaitingItemsOfRun = statement<
  { topicId: number; runId: string },
  FullInboxItemRow
>(
  `${FULL} WHERE i."runId" = :runId AND i."topicId" = :topicId AND i."seq" IN (
     SELECT w."seq" FROM "inboxItems" w WHERE w."topicId" = :topicId AND w."state" = 'waiting')
   ORDER BY i."seq"`,
);

export const insertInboxItem = statement<
  Pick<InboxItemRow, 'topicId' | 'seq' | 'itemId' | 'kind' | 'runId' | 'fromId' | 'expiresAt'> & {
    at: number;
  }
>(
  `INSERT INTO "inboxItems" ("topicId", "seq", "itemId", "kind", "state", "runId", "fromId", "expiresAt", "createdAt")
   VALUES (:topicId, :seq, :itemId, :kind, 'waiting', :runId, :fromId, :expiresAt, :at)`,
);

export const settleInboxItem = statement<{
  itemId: string;
  state: string;
  reason: string | null;
  at: number;
}>(
  `UPDATE "inboxItems" SET "state" = :state, "reason" = :reason, "settledAt" = :at
   WHERE "itemId" = :itemId`,
);

/** Moves an item to another run: after a failed attempt, or when a dead letter is replayed. */
export const requeueInboxItem = statement<{
  itemId: string;
  runId: string;
  attempts: number;
  reason: string | null;
  expiresAt: number | null;
}>(
  `UPDATE "inboxItems" SET "state" = 'waiting', "runId" = :runId, "attempts" = :attempts,
     "reason" = :reason, "expiresAt" = :expiresAt, "settledAt" = NULL WHERE "itemId" = :itemId`,
);

export const countWaitingItems = statement<
  { topicId: number; kind: string | null },
  { count: number }
>(
  `SELECT count(*) AS "count" FROM "inboxItems" WHERE "topicId" = :topicId AND "state" = 'waiting'
     AND (CAST(:kind AS TEXT) IS NULL OR "kind" = :kind)`,
);

export const countItemsOfRun = statement<{ runId: string }, { count: number }>(
  `SELECT count(*) AS "count" FROM "inboxItems" WHERE "runId" = :runId`,
);

/** The item for which the run was queued. */
export const findFirstItemOfRun = statement<{ runId: string }, FullInboxItemRow>(
  `${FULL} WHERE i."runId" = :runId ORDER BY i."seq" LIMIT 1`,
);

export const listExpiredItems = statement<{ now: number; limit: number }, FullInboxItemRow>(
  `${FULL} WHERE i."state" = 'waiting' AND i."expiresAt" <= :now ORDER BY i."expiresAt" LIMIT :limit`,
);

/** The tables that the events of inbox fill. */
export const INBOX_TABLES = { inboxItems: dump('inboxItems', '"seq"') };
