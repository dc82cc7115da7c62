import { statement } from '../sql/statement.js';

export interface TopicRow {
  id: number;
  name: string;
  /** The last sequence. */
  head: number;
  /** How many of the first events are deleted. */
  floor: number;
}

/** The head of the topic `t`: an index lookup, so that a post need not update a counter. */
export const HEAD = `coalesce((SELECT max(e."seq") FROM "events" e WHERE e."topicId" = t."id"), t."floor")`;
const TOPIC = `SELECT t."id", t."name", ${HEAD} AS "head", t."floor" FROM "topics" t`;

export const findTopic = statement<{ name: string }, TopicRow>(`${TOPIC} WHERE t."name" = :name`);
export const findTopicById = statement<{ id: number }, TopicRow>(`${TOPIC} WHERE t."id" = :id`);

export const insertTopic = statement<{ name: string }, { id: number }>(
  `INSERT INTO "topics" ("name") VALUES (:name) RETURNING "id"`,
);

/** If several transactions create the same topic, one does; the others wait and find it. */
export const beginTopic = statement<{ name: string }>(
  `INSERT INTO "topics" ("name") VALUES (:name) ON CONFLICT ("name") DO NOTHING`,
);

/** For a replay beside the original: the copy keeps the id. */
export const insertTopicWithId = statement<{ id: number; name: string; floor: number }>({
  sqlite: `INSERT INTO "topics" ("id", "name", "floor") VALUES (:id, :name, :floor)`,
  postgres: `INSERT INTO "topics" ("id", "name", "floor") OVERRIDING SYSTEM VALUE
   VALUES (:id, :name, :floor)`,
});

const END = `SELECT t."id", ${HEAD} AS "head" FROM "topics" t WHERE t."name" = :name`;

/**
 * Hot. Locks the end of a topic for appending: the next event gets the sequence after `head`. On PostgreSQL other
 * writers of the topic wait.
 */
export const openTopicEnd = statement<{ name: string }, { id: number; head: number }>({
  sqlite: END,
  postgres: END,
  lock: `SELECT 1 FROM "topics" WHERE "name" = :name FOR UPDATE`,
});

/** The floor never falls. */
export const raiseFloor = statement<{ id: number; floor: number }>(
  `UPDATE "topics" SET "floor" = :floor WHERE "id" = :id AND "floor" < :floor`,
);

/** Topics of a kind with more events than are kept; never called for channels. */
export const listOverlongTopics = statement<
  { prefix: string; end: string; keep: number; limit: number },
  TopicRow
>(
  `${TOPIC} WHERE t."name" >= :prefix AND t."name" < :end AND ${HEAD} - t."floor" > :keep
   ORDER BY t."name" LIMIT :limit`,
);

export const listTopicsAfter = statement<{ id: number; limit: number }, TopicRow>(
  `${TOPIC} WHERE t."id" > :id ORDER BY t."id" LIMIT :limit`,
);
