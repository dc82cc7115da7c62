import type { Migration } from './migration.js';

/*
 * Agents, sessions and their work. As with channels, bodies are stored once, in "events", and every table with a
 * "topicId" and a "seq" is a replay of its session's topic. Exceptions: the definitions of agents, and who runs what
 * ("daemons", "sessionOwners"), which only living daemons know.
 *
 * At most one run of a session is active: an index enforces it, not only the code.
 */
const tables = (t: { clustered: string; big: string; text: string; real: string }): string => `
CREATE TABLE "agents" (
  "agentId" ${t.text} NOT NULL PRIMARY KEY,
  "definition" ${t.text} NOT NULL,
  "createdBy" ${t.text} NOT NULL,
  "updatedAt" ${t.big} NOT NULL
);
CREATE TABLE "nicknames" (
  "agentId" ${t.text} NOT NULL PRIMARY KEY,
  "nickname" ${t.text} NOT NULL
);
CREATE TABLE "workspaceRules" (
  "workspace" ${t.text} NOT NULL PRIMARY KEY,
  "permissions" ${t.text} NOT NULL,
  "updatedAt" ${t.big} NOT NULL
);
CREATE TABLE "sessions" (
  "topicId" ${t.big} NOT NULL PRIMARY KEY,
  "sessionId" ${t.text} NOT NULL UNIQUE,
  "agentId" ${t.text} NOT NULL,
  "driver" ${t.text} NOT NULL,
  "title" ${t.text},
  "workspace" ${t.text} NOT NULL,
  "mode" ${t.text} NOT NULL,
  "permissions" ${t.text} NOT NULL,
  "parentSessionId" ${t.text},
  "createdBy" ${t.text} NOT NULL,
  "responsibleId" ${t.text} NOT NULL,
  "createdAt" ${t.big} NOT NULL,
  "updatedAt" ${t.big} NOT NULL,
  "endedAt" ${t.big},
  "personaSeq" ${t.big} NOT NULL,
  "contextSeq" ${t.big} NOT NULL,
  "metadata" ${t.text} NOT NULL
);
CREATE INDEX "sessionsByParent" ON "sessions" ("parentSessionId")
  WHERE "parentSessionId" IS NOT NULL AND "endedAt" IS NULL;
CREATE TABLE "runs" (
  "topicId" ${t.big} NOT NULL,
  "seq" ${t.big} NOT NULL,
  "runId" ${t.text} NOT NULL UNIQUE,
  "kind" ${t.text} NOT NULL,
  "status" ${t.text} NOT NULL,
  "rule" ${t.text} NOT NULL,
  "priority" ${t.big} NOT NULL,
  "channelId" ${t.text},
  "createdAt" ${t.big} NOT NULL,
  "startedAt" ${t.big},
  "endedAt" ${t.big},
  "attempts" ${t.big} NOT NULL DEFAULT 0,
  "outputSeq" ${t.big},
  "endSeq" ${t.big},
  PRIMARY KEY ("topicId", "seq")
)${t.clustered};
CREATE UNIQUE INDEX "runsActive" ON "runs" ("topicId")
  WHERE "status" IN ('running', 'waiting_approval', 'waiting_answer');
CREATE INDEX "runsOpen" ON "runs" ("topicId") WHERE "endedAt" IS NULL;
CREATE INDEX "runsQueued" ON "runs" ("topicId", "priority" DESC, "seq") WHERE "status" = 'queued';
CREATE TABLE "inboxItems" (
  "topicId" ${t.big} NOT NULL,
  "seq" ${t.big} NOT NULL,
  "itemId" ${t.text} NOT NULL UNIQUE,
  "kind" ${t.text} NOT NULL,
  "state" ${t.text} NOT NULL,
  "runId" ${t.text} NOT NULL,
  "fromId" ${t.text} NOT NULL,
  "expiresAt" ${t.big},
  "attempts" ${t.big} NOT NULL DEFAULT 0,
  "reason" ${t.text},
  "createdAt" ${t.big} NOT NULL,
  "settledAt" ${t.big},
  PRIMARY KEY ("topicId", "seq")
)${t.clustered};
CREATE INDEX "inboxItemsByRun" ON "inboxItems" ("runId");
CREATE INDEX "inboxItemsWaiting" ON "inboxItems" ("topicId", "kind") WHERE "state" = 'waiting';
CREATE INDEX "inboxItemsExpiring" ON "inboxItems" ("expiresAt") WHERE "state" = 'waiting' AND "expiresAt" IS NOT NULL;
CREATE INDEX "inboxItemsDead" ON "inboxItems" ("topicId", "seq") WHERE "state" = 'dead_letter';
CREATE TABLE "approvals" (
  "topicId" ${t.big} NOT NULL,
  "seq" ${t.big} NOT NULL,
  "approvalId" ${t.text} NOT NULL UNIQUE,
  "runId" ${t.text} NOT NULL,
  "callId" ${t.text} NOT NULL,
  "kind" ${t.text} NOT NULL,
  "state" ${t.text} NOT NULL,
  "createdAt" ${t.big} NOT NULL,
  "expiresAt" ${t.big} NOT NULL,
  "settledAt" ${t.big},
  "settledSeq" ${t.big},
  PRIMARY KEY ("topicId", "seq")
)${t.clustered};
CREATE INDEX "approvalsPending" ON "approvals" ("expiresAt") WHERE "state" = 'pending';
CREATE INDEX "approvalsByRun" ON "approvals" ("runId");
CREATE TABLE "modelCalls" (
  "topicId" ${t.big} NOT NULL,
  "seq" ${t.big} NOT NULL,
  "runId" ${t.text} NOT NULL,
  "channelId" ${t.text},
  "provider" ${t.text},
  "model" ${t.text},
  "at" ${t.big} NOT NULL,
  "modelCalls" ${t.big} NOT NULL,
  "inputTokens" ${t.big} NOT NULL,
  "cachedInputTokens" ${t.big} NOT NULL,
  "outputTokens" ${t.big} NOT NULL,
  "cost" ${t.real},
  PRIMARY KEY ("topicId", "seq")
)${t.clustered};
CREATE INDEX "modelCallsByTime" ON "modelCalls" ("at");
CREATE INDEX "modelCallsByRun" ON "modelCalls" ("runId");
CREATE TABLE "schedules" (
  "topicId" ${t.big} NOT NULL,
  "seq" ${t.big} NOT NULL,
  "scheduleId" ${t.text} NOT NULL UNIQUE,
  "status" ${t.text} NOT NULL,
  "nextFireAt" ${t.big},
  "lastFireAt" ${t.big},
  "lastRunId" ${t.text},
  "fires" ${t.big} NOT NULL DEFAULT 0,
  "skipped" ${t.big} NOT NULL DEFAULT 0,
  PRIMARY KEY ("topicId", "seq")
)${t.clustered};
CREATE INDEX "schedulesDue" ON "schedules" ("nextFireAt") WHERE "status" = 'active';
CREATE TABLE "daemons" (
  "daemonId" ${t.text} NOT NULL PRIMARY KEY,
  "startedAt" ${t.big} NOT NULL,
  "seenAt" ${t.big} NOT NULL
);
CREATE TABLE "sessionOwners" (
  "topicId" ${t.big} NOT NULL PRIMARY KEY,
  "daemonId" ${t.text},
  "epoch" ${t.big} NOT NULL
);
CREATE INDEX "sessionOwnersByDaemon" ON "sessionOwners" ("daemonId");
`;

export const runtime: Migration = {
  version: 2,
  name: 'runtime',
  sqlite: tables({
    clustered: ' WITHOUT ROWID',
    big: 'INTEGER',
    text: 'TEXT',
    real: 'REAL',
  }),
  postgres: tables({
    clustered: '',
    big: 'BIGINT',
    text: 'TEXT COLLATE "C"',
    real: 'DOUBLE PRECISION',
  }),
};
