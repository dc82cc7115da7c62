import type { Migration } from './migration.js';

/*
 * Turns: who may speak in which thread. All of it is a replay of the channel's log. The state of a turn is in the
 * body of the event of its last decision ("seq"); the columns serve queries. Settings are JSON, read with their row
 * and never searched.
 */
const tables = (t: { clustered: string; big: string; text: string }): string => `
ALTER TABLE "channels" ADD COLUMN "paused" ${t.big} NOT NULL DEFAULT 0;
ALTER TABLE "channels" ADD COLUMN "settings" ${t.text} NOT NULL DEFAULT '{}';
ALTER TABLE "channels" ADD COLUMN "sessionCount" ${t.big} NOT NULL DEFAULT 0;
ALTER TABLE "members" ADD COLUMN "settings" ${t.text} NOT NULL DEFAULT '{}';
CREATE TABLE "turns" (
  "topicId" ${t.big} NOT NULL,
  "rootMessageId" ${t.text} NOT NULL,
  "turnId" ${t.text} NOT NULL,
  "seq" ${t.big} NOT NULL,
  "isOpen" ${t.big} NOT NULL,
  "wakeAt" ${t.big},
  PRIMARY KEY ("topicId", "rootMessageId")
)${t.clustered};
CREATE INDEX "turnsDue" ON "turns" ("wakeAt") WHERE "isOpen" = 1 AND "wakeAt" IS NOT NULL;
CREATE INDEX "turnsOpen" ON "turns" ("topicId") WHERE "isOpen" = 1;
CREATE TABLE "leases" (
  "topicId" ${t.big} NOT NULL,
  "seq" ${t.big} NOT NULL,
  "leaseId" ${t.text} NOT NULL UNIQUE,
  "turnId" ${t.text} NOT NULL,
  "rootMessageId" ${t.text} NOT NULL,
  "originMessageId" ${t.text} NOT NULL,
  "memberId" ${t.text} NOT NULL,
  "sessionId" ${t.text} NOT NULL,
  "runId" ${t.text} NOT NULL UNIQUE,
  "grantedAt" ${t.big} NOT NULL,
  "deadline" ${t.big} NOT NULL,
  "endedAt" ${t.big},
  "outcome" ${t.text},
  PRIMARY KEY ("topicId", "seq", "leaseId")
)${t.clustered};
CREATE INDEX "leasesLive" ON "leases" ("topicId", "rootMessageId") WHERE "endedAt" IS NULL;
CREATE TABLE "decisions" (
  "topicId" ${t.big} NOT NULL,
  "rootMessageId" ${t.text} NOT NULL,
  "seq" ${t.big} NOT NULL,
  PRIMARY KEY ("topicId", "rootMessageId", "seq")
)${t.clustered};
`;

export const turns: Migration = {
  version: 3,
  name: 'turns',
  sqlite: tables({ clustered: ' WITHOUT ROWID', big: 'INTEGER', text: 'TEXT' }),
  postgres: tables({ clustered: '', big: 'BIGINT', text: 'TEXT COLLATE "C"' }),
};
