import type { Migration } from './migration.js';

/*
 * Background tasks. A row is a replay of its session's log; "entry" is the task as its events describe it. A task
 * that moves from an ended session to another gets a row in the other's topic, so its id is unique within a topic
 * only. "sortAt" is the time of its start, or of its end, and orders lists.
 *
 * Dream gates: when a memory was last tidied, which runs remembered something since, and which task holds the lease.
 * The daemons coordinate here; it is not in the log.
 */
const tables = (t: { clustered: string; big: string; text: string }): string => `
CREATE TABLE "tasks" (
  "topicId" ${t.big} NOT NULL,
  "taskId" ${t.text} NOT NULL,
  "kind" ${t.text} NOT NULL,
  "status" ${t.text} NOT NULL,
  "isEnded" ${t.big} NOT NULL,
  "sortAt" ${t.big} NOT NULL,
  "notice" ${t.text} NOT NULL,
  "noticeItemId" ${t.text},
  "responsibleId" ${t.text} NOT NULL,
  "place" ${t.text} NOT NULL,
  "entry" ${t.text} NOT NULL,
  PRIMARY KEY ("topicId", "taskId")
)${t.clustered};
CREATE INDEX "tasksById" ON "tasks" ("taskId");
CREATE INDEX "tasksShown" ON "tasks" ("isEnded", "sortAt", "taskId");
CREATE INDEX "tasksLive" ON "tasks" ("responsibleId", "kind", "status") WHERE "isEnded" = 0;
CREATE INDEX "tasksEnded" ON "tasks" ("topicId", "kind", "sortAt") WHERE "isEnded" = 1;
CREATE INDEX "tasksToTell" ON "tasks" ("sortAt") WHERE "isEnded" = 1 AND "notice" = 'due';
CREATE TABLE "dreamGates" (
  "gateKey" ${t.text} NOT NULL PRIMARY KEY,
  "memoryId" ${t.text} NOT NULL,
  "ownerId" ${t.text} NOT NULL,
  "namespace" ${t.text} NOT NULL,
  "part" ${t.text} NOT NULL,
  "dreamtAt" ${t.big},
  "scannedAt" ${t.big},
  "lookedAt" ${t.big},
  "refusal" ${t.text},
  "leaseHolder" ${t.text},
  "leaseUntil" ${t.big}
);
CREATE TABLE "memoryVisits" (
  "gateKey" ${t.text} NOT NULL,
  "runId" ${t.text} NOT NULL,
  "sessionId" ${t.text} NOT NULL,
  "at" ${t.big} NOT NULL,
  PRIMARY KEY ("gateKey", "runId")
)${t.clustered};
`;

export const tasks: Migration = {
  version: 5,
  name: 'tasks',
  sqlite: tables({ clustered: ' WITHOUT ROWID', big: 'INTEGER', text: 'TEXT' }),
  postgres: tables({ clustered: '', big: 'BIGINT', text: 'TEXT COLLATE "C"' }),
};
