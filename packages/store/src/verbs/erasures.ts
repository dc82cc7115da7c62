import { verb } from '../sql/verb.js';

export const insertErasure = verb<{ topicId: number }>(
  `INSERT INTO "erasures" ("topicId") VALUES (:topicId) ON CONFLICT DO NOTHING`,
);
export const listErasures = verb<object, { topicId: number }>(
  `SELECT "topicId" FROM "erasures" ORDER BY "topicId"`,
);
export const deleteErasure = verb<{ topicId: number }>(
  `DELETE FROM "erasures" WHERE "topicId" = :topicId`,
);

type Chunk = { topicId: number; limit: number };
const chunk = (table: string, key: string): string =>
  `DELETE FROM "${table}" WHERE "topicId" = :topicId AND (${key}) IN (
     SELECT ${key} FROM "${table}" WHERE "topicId" = :topicId LIMIT :limit)`;

/** What an erased channel leaves behind, a bounded number of rows at a time. */
export const ERASE_CHUNKS = [
  verb<Chunk>(chunk('messages', '"seq"')),
  verb<Chunk>(chunk('reactions', '"messageId", "emoji", "actorId"')),
  verb<Chunk>(chunk('members', '"memberId"')),
  verb<Chunk>(chunk('pins', '"assetId"')),
  verb<Chunk>(chunk('attachments', '"assetId", "messageId"')),
  verb<Chunk>(chunk('readCursors', '"humanId"')),
] as const;
