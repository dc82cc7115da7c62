import type { Migration } from './migration.js';

/*
 * "Always" rules of a workspace have an author: those of the owner apply to every session there, those of other
 * people to the sessions that work for them. The author of older rules is unknown; only the owner could have a
 * session in a workspace that was not shared, so they count as the owner's.
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
  /** Whether an event "e" changed title or description of the task in "projectTasks". */
  readonly rewrites: string;
}

/*
 * The author of the current text of a project task, and the number of its changes; for older data they are computed
 * from the log.
 */
const taskTexts = (t: Types): string => `
ALTER TABLE "projectTasks" ADD COLUMN "revision" ${t.big} NOT NULL DEFAULT 1;
ALTER TABLE "projectTasks" ADD COLUMN "writtenBy" ${t.text} NOT NULL DEFAULT 'system';
UPDATE "projectTasks" SET
  "revision" = 1 + (SELECT count(*) FROM "events" e WHERE ${t.rewrites}),
  "writtenBy" = coalesce(
    (SELECT e."actor" FROM "events" e WHERE ${t.rewrites} ORDER BY e."seq" DESC LIMIT 1),
    "createdBy");
`;

/** A cookie of an earlier version is not accepted, so its login ends. */
const browserLogins = `
UPDATE "credentials" SET "revokedAt" = "createdAt" WHERE "kind" = 'browser' AND "revokedAt" IS NULL;
`;

const REWRITES = `e."topicId" = "projectTasks"."topicId" AND e."type" = 'task_updated'`;

/** When the run of a session was last active; only its owner knows, so it is not in the log. */
const activity = (t: Types): string => `
ALTER TABLE "sessionOwners" ADD COLUMN "activeAt" ${t.big};
`;

/**
 * The keys by which a newer stimulus finds the waiting ones that it replaces. They follow from the stimuli; a daemon
 * adds those of stimuli that are older than the table when it starts.
 */
const stimulusKeys = (t: Types): string => `
CREATE TABLE "stimulusKeys" (
  "topicId" ${t.big} NOT NULL,
  "key" ${t.text} NOT NULL,
  "stimulusId" ${t.text} NOT NULL,
  PRIMARY KEY ("topicId", "key", "stimulusId")
)${t.clustered};
CREATE INDEX "stimulusKeysById" ON "stimulusKeys" ("stimulusId");
CREATE INDEX "stimuliWaiting" ON "stimuli" ("topicId", "endedSeq") WHERE "endedSeq" IS NULL;
`;

const tables = (t: Types): string =>
  authority(t) + taskTexts(t) + browserLogins + activity(t) + stimulusKeys(t);

/** Tables for boundaries between people and agents. */
export const trust: Migration = {
  version: 6,
  name: 'trust',
  sqlite: tables({
    clustered: ' WITHOUT ROWID',
    big: 'INTEGER',
    text: 'TEXT',
    rewrites: `${REWRITES} AND json_extract(e."body", '$.taskId') = "projectTasks"."taskId"
      AND (json_type(e."body", '$.change.title') IS NOT NULL
        OR json_type(e."body", '$.change.description') IS NOT NULL)`,
  }),
  postgres: tables({
    clustered: '',
    big: 'BIGINT',
    text: 'TEXT COLLATE "C"',
    rewrites: `${REWRITES} AND e."body"::jsonb ->> 'taskId' = "projectTasks"."taskId"
      AND (e."body"::jsonb -> 'change' -> 'title' IS NOT NULL
        OR e."body"::jsonb -> 'change' -> 'description' IS NOT NULL)`,
  }),
};
