import { locking, verb } from '../sql/verb.js';

export interface TopicRow {
  id: number;
  name: string;
  head: number;
  floor: number;
}

const TOPIC = `SELECT "id", "name", "head", "floor" FROM "topics" WHERE "name" = :name`;

export const findTopic = verb<{ name: string }, TopicRow>(TOPIC);
export const lockTopic = verb<{ name: string }, TopicRow>(locking(TOPIC, 'FOR UPDATE'));

export const insertTopic = verb<{ name: string }, { id: number }>(
  `INSERT INTO "topics" ("name") VALUES (:name) RETURNING "id"`,
);

/** Hot. Numbers `count` events of a topic: the new head is the sequence of the last of them. */
export const advanceTopic = verb<{ name: string; count: number }, { id: number; head: number }>(
  `UPDATE "topics" SET "head" = "head" + :count WHERE "name" = :name RETURNING "id", "head"`,
);

/** Moves the floor up to, and not past, what the topic holds. */
export const raiseFloor = verb<{ id: number; floor: number }>(
  `UPDATE "topics" SET "floor" = :floor WHERE "id" = :id AND "floor" < :floor AND "head" >= :floor`,
);

/** Topics of a kind that hold more events than are kept; channels are never asked for. */
export const listOverlongTopics = verb<{ prefix: string; end: string; keep: number; limit: number }, TopicRow>(
  `SELECT "id", "name", "head", "floor" FROM "topics"
   WHERE "name" >= :prefix AND "name" < :end AND "head" - "floor" > :keep LIMIT :limit`,
);

export const listTopicsAfter = verb<{ id: number; limit: number }, TopicRow>(
  `SELECT "id", "name", "head", "floor" FROM "topics" WHERE "id" > :id ORDER BY "id" LIMIT :limit`,
);

export const findTopicById = verb<{ id: number }, TopicRow>(
  `SELECT "id", "name", "head", "floor" FROM "topics" WHERE "id" = :id`,
);

/** For a replay beside the original: the copy has the same key. */
export const insertTopicWithId = verb<TopicRow>(
  `INSERT INTO "topics" ("id", "name", "head", "floor") VALUES (:id, :name, :head, :floor)`,
);
