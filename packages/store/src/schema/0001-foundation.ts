import type { Migration } from './migration.js';

/*
 * Bodies stand once, in "events"; every other table of a channel is a projection that refers to
 * them by (topicId, seq). SQLite keeps the tables that are read in order clustered by their key
 * (WITHOUT ROWID): a page of a channel is one run of leaves, and a post touches one tree less.
 */
const tables = (t: { key: string; clustered: string; big: string }): string => `
CREATE TABLE "topics" (
  "id" ${t.key},
  "name" TEXT NOT NULL UNIQUE,
  "head" ${t.big} NOT NULL DEFAULT 0,
  "floor" ${t.big} NOT NULL DEFAULT 0
);
CREATE TABLE "events" (
  "topicId" ${t.big} NOT NULL,
  "seq" ${t.big} NOT NULL,
  "at" ${t.big} NOT NULL,
  "type" TEXT NOT NULL,
  "actor" TEXT NOT NULL,
  "body" TEXT NOT NULL,
  PRIMARY KEY ("topicId", "seq")
)${t.clustered};
CREATE TABLE "channels" (
  "topicId" ${t.big} NOT NULL PRIMARY KEY,
  "channelId" TEXT NOT NULL UNIQUE,
  "title" TEXT NOT NULL,
  "description" TEXT,
  "purpose" TEXT,
  "createdBy" TEXT NOT NULL,
  "createdAt" ${t.big} NOT NULL,
  "updatedAt" ${t.big} NOT NULL,
  "archivedAt" ${t.big},
  "metadata" TEXT NOT NULL,
  "memberCount" ${t.big} NOT NULL DEFAULT 0,
  "messageCount" ${t.big} NOT NULL DEFAULT 0,
  "lastMessageId" TEXT
);
CREATE TABLE "members" (
  "topicId" ${t.big} NOT NULL,
  "memberId" TEXT NOT NULL,
  "memberKind" TEXT NOT NULL,
  "actorId" TEXT NOT NULL,
  "displayName" TEXT NOT NULL,
  "role" TEXT,
  "joinedAt" ${t.big} NOT NULL,
  "metadata" TEXT NOT NULL,
  PRIMARY KEY ("topicId", "memberId")
)${t.clustered};
CREATE UNIQUE INDEX "membersByActor" ON "members" ("actorId", "topicId");
CREATE TABLE "messages" (
  "topicId" ${t.big} NOT NULL,
  "seq" ${t.big} NOT NULL,
  "messageId" TEXT NOT NULL,
  "rootMessageId" TEXT,
  "authorId" TEXT NOT NULL,
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
  "messageId" TEXT NOT NULL,
  "emoji" TEXT NOT NULL,
  "actorId" TEXT NOT NULL,
  "seq" ${t.big} NOT NULL,
  PRIMARY KEY ("topicId", "messageId", "emoji", "actorId")
)${t.clustered};
CREATE TABLE "pins" (
  "topicId" ${t.big} NOT NULL,
  "assetId" TEXT NOT NULL,
  "seq" ${t.big} NOT NULL,
  PRIMARY KEY ("topicId", "assetId")
)${t.clustered};
CREATE INDEX "pinsByAsset" ON "pins" ("assetId");
CREATE TABLE "attachments" (
  "assetId" TEXT NOT NULL,
  "topicId" ${t.big} NOT NULL,
  "messageId" TEXT NOT NULL,
  PRIMARY KEY ("assetId", "topicId", "messageId")
)${t.clustered};
CREATE INDEX "attachmentsByMessage" ON "attachments" ("topicId", "messageId");
CREATE TABLE "assets" (
  "assetId" TEXT NOT NULL PRIMARY KEY,
  "digest" TEXT NOT NULL UNIQUE,
  "mediaType" TEXT NOT NULL,
  "bytes" ${t.big} NOT NULL,
  "name" TEXT,
  "createdBy" TEXT NOT NULL,
  "createdAt" ${t.big} NOT NULL
);
CREATE INDEX "assetsByAge" ON "assets" ("createdAt");
CREATE TABLE "humans" (
  "humanId" TEXT NOT NULL PRIMARY KEY,
  "displayName" TEXT NOT NULL,
  "role" TEXT NOT NULL,
  "createdAt" ${t.big} NOT NULL
);
CREATE TABLE "credentials" (
  "credentialId" TEXT NOT NULL PRIMARY KEY,
  "kind" TEXT NOT NULL,
  "name" TEXT NOT NULL,
  "principalKind" TEXT NOT NULL,
  "principalId" TEXT NOT NULL,
  "hash" TEXT NOT NULL UNIQUE,
  "createdAt" ${t.big} NOT NULL,
  "revokedAt" ${t.big}
);
CREATE TABLE "loginCodes" (
  "hash" TEXT NOT NULL PRIMARY KEY,
  "humanId" TEXT NOT NULL,
  "expiresAt" ${t.big} NOT NULL
);
CREATE TABLE "readCursors" (
  "humanId" TEXT NOT NULL,
  "topicId" ${t.big} NOT NULL,
  "readSeq" ${t.big} NOT NULL,
  PRIMARY KEY ("humanId", "topicId")
)${t.clustered};
CREATE TABLE "idempotencyKeys" (
  "actorId" TEXT NOT NULL,
  "key" TEXT NOT NULL,
  "fingerprint" TEXT NOT NULL,
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
  sqlite: tables({ key: 'INTEGER PRIMARY KEY AUTOINCREMENT', clustered: ' WITHOUT ROWID', big: 'INTEGER' }),
  postgres: tables({ key: 'BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY', clustered: '', big: 'BIGINT' }),
};
