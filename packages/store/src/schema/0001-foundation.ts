import type { Migration } from './migration.js';

/*
 * Bodies are stored once, in "events"; every other table of a channel is a projection that refers to them by
 * (topicId, seq). SQLite clusters the tables that are read in order by their key (WITHOUT ROWID): a page of a channel
 * is one run of leaves, and a post changes one tree less.
 *
 * A post changes no counter: the head of a topic is the last sequence in its events, and "ordinal" counts the
 * messages before a message. Stored counters cost two more pages per commit on SQLite (8 WAL frames per post instead
 * of 6) and a dead row per post on PostgreSQL.
 *
 * Text is compared byte by byte on both engines, regardless of the collation of the PostgreSQL database: pages,
 * ranges of names and lower() mean the same, and no index depends on the system's locale.
 */
const tables = (t: { key: string; clustered: string; big: string; text: string }): string => `
CREATE TABLE "topics" (
  "id" ${t.key},
  "name" ${t.text} NOT NULL UNIQUE,
  "floor" ${t.big} NOT NULL DEFAULT 0
);
CREATE TABLE "events" (
  "topicId" ${t.big} NOT NULL,
  "seq" ${t.big} NOT NULL,
  "at" ${t.big} NOT NULL,
  "type" ${t.text} NOT NULL,
  "actor" ${t.text} NOT NULL,
  "body" ${t.text} NOT NULL,
  PRIMARY KEY ("topicId", "seq")
)${t.clustered};
CREATE TABLE "channels" (
  "topicId" ${t.big} NOT NULL PRIMARY KEY,
  "channelId" ${t.text} NOT NULL UNIQUE,
  "title" ${t.text} NOT NULL,
  "description" ${t.text},
  "purpose" ${t.text},
  "createdBy" ${t.text} NOT NULL,
  "createdAt" ${t.big} NOT NULL,
  "updatedAt" ${t.big} NOT NULL,
  "archivedAt" ${t.big},
  "metadata" ${t.text} NOT NULL,
  "memberCount" ${t.big} NOT NULL DEFAULT 0
);
CREATE TABLE "members" (
  "topicId" ${t.big} NOT NULL,
  "memberId" ${t.text} NOT NULL,
  "memberKind" ${t.text} NOT NULL,
  "actorId" ${t.text} NOT NULL,
  "displayName" ${t.text} NOT NULL,
  "role" ${t.text},
  "joinedAt" ${t.big} NOT NULL,
  "metadata" ${t.text} NOT NULL,
  PRIMARY KEY ("topicId", "memberId")
)${t.clustered};
CREATE UNIQUE INDEX "membersByActor" ON "members" ("actorId", "topicId");
CREATE TABLE "messages" (
  "topicId" ${t.big} NOT NULL,
  "seq" ${t.big} NOT NULL,
  "ordinal" ${t.big} NOT NULL,
  "messageId" ${t.text} NOT NULL,
  "rootMessageId" ${t.text},
  "authorId" ${t.text} NOT NULL,
  "bodySeq" ${t.big} NOT NULL,
  "createdAt" ${t.big} NOT NULL,
  "editedAt" ${t.big},
  "deletedAt" ${t.big},
  "replyCount" ${t.big} NOT NULL DEFAULT 0,
  "lastReplyAt" ${t.big},
  PRIMARY KEY ("topicId", "seq")
)${t.clustered};
CREATE UNIQUE INDEX "messagesById" ON "messages" ("topicId", "messageId");
CREATE INDEX "messagesOfFeed" ON "messages" ("topicId", "seq") WHERE "rootMessageId" IS NULL;
CREATE INDEX "messagesOfThread" ON "messages" ("topicId", "rootMessageId", "seq") WHERE "rootMessageId" IS NOT NULL;
CREATE TABLE "reactions" (
  "topicId" ${t.big} NOT NULL,
  "messageId" ${t.text} NOT NULL,
  "emoji" ${t.text} NOT NULL,
  "actorId" ${t.text} NOT NULL,
  "seq" ${t.big} NOT NULL,
  PRIMARY KEY ("topicId", "messageId", "emoji", "actorId")
)${t.clustered};
CREATE TABLE "pins" (
  "topicId" ${t.big} NOT NULL,
  "assetId" ${t.text} NOT NULL,
  "seq" ${t.big} NOT NULL,
  PRIMARY KEY ("topicId", "assetId")
)${t.clustered};
CREATE INDEX "pinsByAsset" ON "pins" ("assetId");
CREATE TABLE "attachments" (
  "assetId" ${t.text} NOT NULL,
  "topicId" ${t.big} NOT NULL,
  "messageId" ${t.text} NOT NULL,
  PRIMARY KEY ("assetId", "topicId", "messageId")
)${t.clustered};
CREATE INDEX "attachmentsByMessage" ON "attachments" ("topicId", "messageId");
CREATE TABLE "assets" (
  "assetId" ${t.text} NOT NULL PRIMARY KEY,
  "digest" ${t.text} NOT NULL UNIQUE,
  "mediaType" ${t.text} NOT NULL,
  "bytes" ${t.big} NOT NULL,
  "name" ${t.text},
  "createdBy" ${t.text} NOT NULL,
  "createdAt" ${t.big} NOT NULL,
  "unusedSince" ${t.big}
);
CREATE INDEX "assetsUnused" ON "assets" ("unusedSince") WHERE "unusedSince" IS NOT NULL;
CREATE TABLE "humans" (
  "humanId" ${t.text} NOT NULL PRIMARY KEY,
  "displayName" ${t.text} NOT NULL,
  "role" ${t.text} NOT NULL,
  "createdAt" ${t.big} NOT NULL
);
CREATE TABLE "credentials" (
  "credentialId" ${t.text} NOT NULL PRIMARY KEY,
  "kind" ${t.text} NOT NULL,
  "name" ${t.text} NOT NULL,
  "principalKind" ${t.text} NOT NULL,
  "principalId" ${t.text} NOT NULL,
  "hash" ${t.text} NOT NULL UNIQUE,
  "createdAt" ${t.big} NOT NULL,
  "expiresAt" ${t.big},
  "revokedAt" ${t.big}
);
CREATE INDEX "credentialsByPrincipal" ON "credentials" ("principalKind", "principalId");
CREATE TABLE "loginCodes" (
  "hash" ${t.text} NOT NULL PRIMARY KEY,
  "humanId" ${t.text} NOT NULL,
  "credentialId" ${t.text},
  "expiresAt" ${t.big} NOT NULL
);
CREATE TABLE "readCursors" (
  "humanId" ${t.text} NOT NULL,
  "topicId" ${t.big} NOT NULL,
  "readSeq" ${t.big} NOT NULL,
  PRIMARY KEY ("humanId", "topicId")
)${t.clustered};
CREATE TABLE "idempotencyKeys" (
  "actorId" ${t.text} NOT NULL,
  "key" ${t.text} NOT NULL,
  "fingerprint" ${t.text} NOT NULL,
  "topicId" ${t.big} NOT NULL,
  "seq" ${t.big} NOT NULL,
  "at" ${t.big} NOT NULL,
  PRIMARY KEY ("actorId", "key")
)${t.clustered};
CREATE INDEX "idempotencyKeysByAge" ON "idempotencyKeys" ("at");
CREATE TABLE "erasures" ("topicId" ${t.big} NOT NULL PRIMARY KEY);
`;

export const foundation: Migration = {
  version: 1,
  name: 'foundation',
  sqlite: tables({
    key: 'INTEGER PRIMARY KEY AUTOINCREMENT',
    clustered: ' WITHOUT ROWID',
    big: 'INTEGER',
    text: 'TEXT',
  }),
  postgres: tables({
    key: 'BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY',
    clustered: '',
    big: 'BIGINT',
    text: 'TEXT COLLATE "C"',
  }),
};
