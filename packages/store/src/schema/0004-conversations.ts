import type { Migration } from './migration.js';

type Types = { clustered: string; big: string; text: string };

/*
 * Reasons for agents to speak without a person, and the resulting thread work. All of it is a replay of the channel's
 * log; the content of a stimulus is in the event that created it ("seq"), the state of work in the event that changed
 * it last. "endedSeq" orders the ended ones, of which only the newest are kept.
 */
const stimuli = (t: Types): string => `
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

/*
 * Observations. Sources and their observations are a replay of the channel's log. A secret is not: it is in no log,
 * and stored here in plain text, because signatures are computed with it.
 */
const observations = (t: Types): string => `
CREATE TABLE "observationSources" (
  "topicId" ${t.big} NOT NULL,
  "sourceId" ${t.text} NOT NULL UNIQUE,
  "seq" ${t.big} NOT NULL,
  "createdBy" ${t.text} NOT NULL,
  "createdAt" ${t.big} NOT NULL,
  PRIMARY KEY ("topicId", "sourceId")
)${t.clustered};
CREATE TABLE "observationSecrets" (
  "topicId" ${t.big} NOT NULL,
  "sourceId" ${t.text} NOT NULL UNIQUE,
  "secret" ${t.text} NOT NULL,
  PRIMARY KEY ("topicId", "sourceId")
)${t.clustered};
CREATE TABLE "observations" (
  "topicId" ${t.big} NOT NULL,
  "seq" ${t.big} NOT NULL,
  "sourceId" ${t.text} NOT NULL,
  "proof" ${t.text} NOT NULL,
  "receivedAt" ${t.big} NOT NULL,
  PRIMARY KEY ("topicId", "seq")
)${t.clustered};
CREATE UNIQUE INDEX "observationsByProof" ON "observations" ("sourceId", "proof");
CREATE INDEX "observationsOfSource" ON "observations" ("sourceId", "seq");
`;

/*
 * What sessions remember. A memory has its own topic, which is permanent, and these tables are a replay of it; the
 * text of a note is in the event that created it ("seq").
 */
const memory = (t: Types): string => `
CREATE TABLE "memories" (
  "topicId" ${t.big} NOT NULL PRIMARY KEY,
  "memoryId" ${t.text} NOT NULL UNIQUE,
  "ownerId" ${t.text} NOT NULL,
  "namespace" ${t.text} NOT NULL,
  "updatedAt" ${t.big} NOT NULL
);
CREATE UNIQUE INDEX "memoriesOfOwner" ON "memories" ("ownerId", "namespace");
CREATE TABLE "memoryNotes" (
  "topicId" ${t.big} NOT NULL,
  "seq" ${t.big} NOT NULL,
  "noteId" ${t.text} NOT NULL UNIQUE,
  "isolated" ${t.big} NOT NULL,
  PRIMARY KEY ("topicId", "seq")
)${t.clustered};
`;

/*
 * Projects, and the boards of sessions: all of it is a replay of the project's or the session's log. All rows of a
 * project are bounded and deleted with it in one transaction; only its log is erased in steps.
 */
const projects = (t: Types): string => `
CREATE TABLE "projects" (
  "topicId" ${t.big} NOT NULL PRIMARY KEY,
  "projectId" ${t.text} NOT NULL UNIQUE,
  "displayName" ${t.text} NOT NULL,
  "description" ${t.text},
  "status" ${t.text} NOT NULL,
  "createdBy" ${t.text} NOT NULL,
  "createdAt" ${t.big} NOT NULL,
  "updatedAt" ${t.big} NOT NULL,
  "metadata" ${t.text} NOT NULL
);
CREATE TABLE "projectMembers" (
  "topicId" ${t.big} NOT NULL,
  "memberId" ${t.text} NOT NULL,
  "memberKind" ${t.text} NOT NULL,
  "actorId" ${t.text} NOT NULL,
  "displayName" ${t.text} NOT NULL,
  "role" ${t.text},
  "joinedAt" ${t.big} NOT NULL,
  "sessionEndedAt" ${t.big},
  PRIMARY KEY ("topicId", "memberId")
)${t.clustered};
CREATE UNIQUE INDEX "projectMembersByActor" ON "projectMembers" ("actorId", "topicId");
CREATE TABLE "projectLinks" (
  "topicId" ${t.big} NOT NULL,
  "channelId" ${t.text} NOT NULL,
  "role" ${t.text},
  "isDefault" ${t.big} NOT NULL,
  "mirrors" ${t.big} NOT NULL,
  "linkedAt" ${t.big} NOT NULL,
  PRIMARY KEY ("topicId", "channelId")
)${t.clustered};
CREATE INDEX "projectLinksByChannel" ON "projectLinks" ("channelId");
CREATE TABLE "projectTasks" (
  "topicId" ${t.big} NOT NULL,
  "taskId" ${t.text} NOT NULL,
  "title" ${t.text} NOT NULL,
  "description" ${t.text},
  "assigneeId" ${t.text},
  "parentTaskId" ${t.text},
  "status" ${t.text} NOT NULL,
  "channelId" ${t.text},
  "rootMessageId" ${t.text},
  "runId" ${t.text},
  "output" ${t.text},
  "createdBy" ${t.text} NOT NULL,
  "createdAt" ${t.big} NOT NULL,
  "updatedAt" ${t.big} NOT NULL,
  PRIMARY KEY ("topicId", "taskId")
)${t.clustered};
CREATE TABLE "boards" (
  "topicId" ${t.big} NOT NULL,
  "boardId" ${t.text} NOT NULL,
  "title" ${t.text} NOT NULL,
  "createdAt" ${t.big} NOT NULL,
  "updatedAt" ${t.big} NOT NULL,
  PRIMARY KEY ("topicId", "boardId")
)${t.clustered};
CREATE TABLE "boardRevisions" (
  "topicId" ${t.big} NOT NULL,
  "boardId" ${t.text} NOT NULL,
  "revision" ${t.big} NOT NULL,
  "assetId" ${t.text} NOT NULL,
  "mediaType" ${t.text} NOT NULL,
  "createdBy" ${t.text} NOT NULL,
  "createdAt" ${t.big} NOT NULL,
  PRIMARY KEY ("topicId", "boardId", "revision")
)${t.clustered};
CREATE INDEX "boardRevisionsByAsset" ON "boardRevisions" ("assetId");
CREATE TABLE "taskBlockers" (
  "topicId" ${t.big} NOT NULL,
  "taskId" ${t.text} NOT NULL,
  "blockerId" ${t.text} NOT NULL,
  PRIMARY KEY ("topicId", "taskId", "blockerId")
)${t.clustered};
`;

const tables = (t: Types): string => stimuli(t) + observations(t) + memory(t) + projects(t);

/** Tables of channels besides turns. */
export const conversations: Migration = {
  version: 4,
  name: 'conversations',
  sqlite: tables({ clustered: ' WITHOUT ROWID', big: 'INTEGER', text: 'TEXT' }),
  postgres: tables({ clustered: '', big: 'BIGINT', text: 'TEXT COLLATE "C"' }),
};
