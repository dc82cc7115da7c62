import type { Migration } from './migration.js';

/*
 * What gives agents a reason to speak without a person, and the work of threads that comes of it. All
 * of it is a replay of the channel's log; what a stimulus says stands in the event that made it
 * ("seq"), what work is at in the event that changed it last. "endedSeq" orders those that are settled,
 * of which only the newest are kept.
 */
const tables = (t: { clustered: string; big: string; text: string }): string => `
ALTER TABLE "messages" ADD COLUMN "supersededBy" ${t.text};
CREATE TABLE "stimuli" (
  "topicId" ${t.big} NOT NULL,
  "seq" ${t.big} NOT NULL,
  "stimulusId" ${t.text} NOT NULL UNIQUE,
  "state" ${t.text} NOT NULL,
  "rootMessageId" ${t.text},
  "wakes" ${t.big} NOT NULL,
  "dueAt" ${t.big} NOT NULL,
  "expiresAt" ${t.big},
  "attempts" ${t.big} NOT NULL DEFAULT 0,
  "claimedAt" ${t.big},
  "claimedBy" ${t.text},
  "dispatchedAt" ${t.big},
  "messageId" ${t.text},
  "reason" ${t.text},
  "error" ${t.text},
  "byStimulusId" ${t.text},
  "endedSeq" ${t.big},
  PRIMARY KEY ("topicId", "seq")
)${t.clustered};
CREATE INDEX "stimuliDue" ON "stimuli" ("dueAt") WHERE "state" = 'pending';
CREATE INDEX "stimuliExpiring" ON "stimuli" ("expiresAt") WHERE "state" = 'pending' AND "expiresAt" IS NOT NULL;
CREATE INDEX "stimuliClaimed" ON "stimuli" ("claimedAt") WHERE "state" = 'claimed';
CREATE INDEX "stimuliLive" ON "stimuli" ("topicId") WHERE "endedSeq" IS NULL;
CREATE INDEX "stimuliEnded" ON "stimuli" ("topicId", "endedSeq") WHERE "endedSeq" IS NOT NULL;
CREATE INDEX "stimuliDispatched" ON "stimuli" ("dispatchedAt") WHERE "state" = 'dispatched';
CREATE TABLE "threadWork" (
  "topicId" ${t.big} NOT NULL,
  "rootMessageId" ${t.text} NOT NULL,
  "seq" ${t.big} NOT NULL,
  "topicKind" ${t.text} NOT NULL,
  "isOpen" ${t.big} NOT NULL,
  "initiativeKey" ${t.text},
  "rootPostedAt" ${t.big},
  "followedUpAt" ${t.big},
  PRIMARY KEY ("topicId", "rootMessageId")
)${t.clustered};
CREATE INDEX "threadWorkOpen" ON "threadWork" ("topicId", "rootMessageId") WHERE "isOpen" = 1;
CREATE INDEX "threadWorkRoots" ON "threadWork" ("topicId", "rootPostedAt") WHERE "rootPostedAt" IS NOT NULL;
`;

export const stimuli: Migration = {
  version: 4,
  name: 'stimuli',
  sqlite: tables({ clustered: ' WITHOUT ROWID', big: 'INTEGER', text: 'TEXT' }),
  postgres: tables({ clustered: '', big: 'BIGINT', text: 'TEXT COLLATE "C"' }),
};
