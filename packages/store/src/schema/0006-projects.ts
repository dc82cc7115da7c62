import type { Migration } from './migration.js';

/*
 * Projects, and the boards of sessions: all of it is a replay of the project's or the session's log. Everything that a project has is bounded, so it
 * is deleted with it in one transaction; only its log is swept.
 */
const tables = (t: { clustered: string; big: string; text: string }): string => `
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

export const projects: Migration = {
  version: 6,
  name: 'projects',
  sqlite: tables({ clustered: ' WITHOUT ROWID', big: 'INTEGER', text: 'TEXT' }),
  postgres: tables({ clustered: '', big: 'BIGINT', text: 'TEXT COLLATE "C"' }),
};
