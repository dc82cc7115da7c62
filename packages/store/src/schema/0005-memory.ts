import type { Migration } from './migration.js';

/*
 * What sessions remember. A memory is a topic of its own, permanent as a channel's log is, and these
 * tables are a replay of it; the text of a note stands in the event that kept it ("seq").
 */
const tables = (t: { clustered: string; big: string; text: string }): string => `
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

export const memory: Migration = {
  version: 5,
  name: 'memory',
  sqlite: tables({ clustered: ' WITHOUT ROWID', big: 'INTEGER', text: 'TEXT' }),
  postgres: tables({ clustered: '', big: 'BIGINT', text: 'TEXT COLLATE "C"' }),
};
