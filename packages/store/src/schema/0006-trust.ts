import type { Migration } from './migration.js';

/*
 * "Always" rules of a workspace have an author: those of the owner hold for every session there, those of
 * anybody else for the sessions that work for them. Who gave the rules of older data is not known; only the
 * owner could have a session in a workspace that was not shared, so they count as the owner's.
 */
const authority = (t: Types): string => `
CREATE TABLE "authoredRules" (
  "workspace" ${t.text} NOT NULL,
  "authorId" ${t.text} NOT NULL,
  "permissions" ${t.text} NOT NULL,
  "updatedAt" ${t.big} NOT NULL,
  PRIMARY KEY ("workspace", "authorId")
)${t.clustered};
INSERT INTO "authoredRules" ("workspace", "authorId", "permissions", "updatedAt")
  SELECT "workspace", 'human:owner', "permissions", "updatedAt" FROM "workspaceRules";
DROP TABLE "workspaceRules";
ALTER TABLE "authoredRules" RENAME TO "workspaceRules";
ALTER TABLE "sessions" ADD COLUMN "ceiling" ${t.text};
`;

interface Types {
  readonly clustered: string;
  readonly big: string;
  readonly text: string;
}

const tables = (t: Types): string => authority(t);

/** What safe boundaries between people and agents need. */
export const trust: Migration = {
  version: 6,
  name: 'trust',
  sqlite: tables({ clustered: ' WITHOUT ROWID', big: 'INTEGER', text: 'TEXT' }),
  postgres: tables({ clustered: '', big: 'BIGINT', text: 'TEXT COLLATE "C"' }),
};
