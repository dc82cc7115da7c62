import { statement } from '../sql/statement.js';

export const findCursor = statement<{ humanId: string; topicId: number }, { readSeq: number }>(
  `SELECT "readSeq" FROM "readCursors" WHERE "humanId" = :humanId AND "topicId" = :topicId`,
);

export const moveCursor = statement<{ humanId: string; topicId: number; readSeq: number }>(
  `INSERT INTO "readCursors" ("humanId", "topicId", "readSeq") VALUES (:humanId, :topicId, :readSeq)
   ON CONFLICT ("humanId", "topicId") DO UPDATE SET "readSeq" = excluded."readSeq"
   WHERE "readCursors"."readSeq" < excluded."readSeq"`,
);

/** Every channel of a human, with the last sequence that the human has read. */
export const listCursors = statement<
  { humanId: string; actorId: string },
  { topicId: number; channelId: string; readSeq: number }
>(
  `SELECT c."topicId", c."channelId", coalesce(r."readSeq", 0) AS "readSeq" FROM "members" m
   JOIN "channels" c ON c."topicId" = m."topicId"
   LEFT JOIN "readCursors" r ON r."humanId" = :humanId AND r."topicId" = c."topicId"
   WHERE m."actorId" = :actorId ORDER BY c."channelId"`,
);
