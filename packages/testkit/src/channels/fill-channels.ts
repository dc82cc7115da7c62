import { inTransaction, type SqliteDatabase } from '@stoa/store';

const ACTOR = 'human:owner';
const START = 1_600_000_000_000;
const messageId = `printf('msg_%06d%020d', t."id", "n")`;

/**
 * Writes messages of the owner into every channel that is there, past the program: the same rows as
 * posting them would have left, in seconds instead of minutes.
 */
export function fillChannels(db: SqliteDatabase, messagesEach: number): void {
  db.pragma('synchronous = OFF');
  inTransaction(db, () => {
    db.exec(`
      CREATE TEMP TABLE "new" AS
        WITH RECURSIVE "numbers" ("n") AS (
          SELECT 1 UNION ALL SELECT "n" + 1 FROM "numbers" WHERE "n" < ${String(messagesEach)}
        )
        SELECT t."id" AS "topicId", ${messageId} AS "messageId", ${String(START)} + "n" * 10 AS "at",
          (SELECT max(e."seq") FROM "events" e WHERE e."topicId" = t."id") + "n" AS "seq", "n" AS "ordinal"
        FROM "topics" t CROSS JOIN "numbers" WHERE t."name" LIKE 'channel:%';
      INSERT INTO "events" ("topicId", "seq", "at", "type", "actor", "body")
        SELECT "topicId", "seq", "at", 'message_posted', '${ACTOR}', '{"messageId":"' || "messageId"
          || '","author":{"kind":"human","id":"${ACTOR}","displayName":"owner"},"addressedMemberIds":[]'
          || ',"inputItems":[{"type":"text","text":"message ' || "ordinal" || '"}],"metadata":{}}'
        FROM "new" ORDER BY "topicId", "seq";
      INSERT INTO "messages" ("topicId", "seq", "ordinal", "messageId", "authorId", "bodySeq", "createdAt")
        SELECT "topicId", "seq", "ordinal", "messageId", '${ACTOR}', "seq", "at" FROM "new"
        ORDER BY "topicId", "seq";
      DROP TABLE "new"`);
  });
  db.pragma('wal_checkpoint(TRUNCATE)');
}
