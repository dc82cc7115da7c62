import { statement } from '../sql/statement.js';

export interface ReactionRow {
  topicId: number;
  messageId: string;
  emoji: string;
  actorId: string;
  seq: number;
}

type Key = Omit<ReactionRow, 'seq'>;

export const findReaction = statement<Key, ReactionRow>(
  `SELECT * FROM "reactions" WHERE "topicId" = :topicId AND "messageId" = :messageId
   AND "emoji" = :emoji AND "actorId" = :actorId`,
);

export const insertReaction = statement<ReactionRow>(
  `INSERT INTO "reactions" ("topicId", "messageId", "emoji", "actorId", "seq")
   VALUES (:topicId, :messageId, :emoji, :actorId, :seq)`,
);

export const deleteReaction = statement<Key>(
  `DELETE FROM "reactions" WHERE "topicId" = :topicId AND "messageId" = :messageId
   AND "emoji" = :emoji AND "actorId" = :actorId`,
);

/** Oldest first. */
export const listReactions = statement<{ topicId: number; messageId: string }, ReactionRow>(
  `SELECT * FROM "reactions" WHERE "topicId" = :topicId AND "messageId" = :messageId ORDER BY "seq"`,
);

export const countReactions = statement<{ topicId: number; messageId: string }, { count: number }>(
  `SELECT count(*) AS "count" FROM "reactions" WHERE "topicId" = :topicId AND "messageId" = :messageId`,
);
