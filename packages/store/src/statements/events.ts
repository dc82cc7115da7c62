import { statement } from '../sql/statement.js';

export interface EventRow {
  topicId: number;
  seq: number;
  at: number;
  type: string;
  actor: string;
  body: string;
}

/** Hot. */
export const insertEvent = statement<EventRow>(
  `INSERT INTO "events" ("topicId", "seq", "at", "type", "actor", "body")
   VALUES (:topicId, :seq, :at, :type, :actor, :body)`,
);

export const findEvent = statement<{ topicId: number; seq: number }, EventRow>(
  `SELECT "topicId", "seq", "at", "type", "actor", "body" FROM "events"
   WHERE "topicId" = :topicId AND "seq" = :seq`,
);

export const listEventsAfter = statement<
  { topicId: number; after: number; limit: number },
  EventRow
>(
  `SELECT "topicId", "seq", "at", "type", "actor", "body" FROM "events"
   WHERE "topicId" = :topicId AND "seq" > :after ORDER BY "seq" LIMIT :limit`,
);

/** The size of each event of a page, without reading the bodies. */
export const listEventSizesAfter = statement<
  { topicId: number; after: number; limit: number },
  { seq: number; bytes: number }
>(
  `SELECT "seq", octet_length("body") AS "bytes" FROM "events"
   WHERE "topicId" = :topicId AND "seq" > :after ORDER BY "seq" LIMIT :limit`,
);

/** Newest first, without the bodies. */
export const listEventSizesBefore = statement<
  { topicId: number; after: number; before: number; limit: number },
  { seq: number; type: string; bytes: number }
>(
  `SELECT "seq", "type", octet_length("body") AS "bytes" FROM "events"
   WHERE "topicId" = :topicId AND "seq" > :after AND "seq" < :before
   ORDER BY "seq" DESC LIMIT :limit`,
);

/** Newest first. */
export const listEventsOfTypeBefore = statement<
  { topicId: number; type: string; after: number; before: number; limit: number },
  EventRow
>(
  `SELECT "topicId", "seq", "at", "type", "actor", "body" FROM "events"
   WHERE "topicId" = :topicId AND "seq" > :after AND "seq" < :before AND "type" = :type
   ORDER BY "seq" DESC LIMIT :limit`,
);

/** Deletes events up to a floor, at most `limit` at a time. */
export const deleteEventsUpTo = statement<{ topicId: number; seq: number; limit: number }>(
  `DELETE FROM "events" WHERE "topicId" = :topicId AND "seq" IN (
     SELECT "seq" FROM "events" WHERE "topicId" = :topicId AND "seq" <= :seq ORDER BY "seq" LIMIT :limit)`,
);
