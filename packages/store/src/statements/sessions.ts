import type { Ceiling, Metadata, PermissionRules, Persona } from '@stoa/protocol';
import { dump } from '../sql/dump.js';
import { type Json, locking, statement } from '../sql/statement.js';

export interface SessionRow {
  topicId: number;
  sessionId: string;
  agentId: string;
  driver: string;
  title: string | null;
  workspace: string;
  mode: string;
  /** Rules that answers added for this session only. */
  permissions: Json<PermissionRules>;
  parentSessionId: string | null;
  createdBy: string;
  /** The person it works for: its creator, or the person of the session that created it. */
  responsibleId: string;
  createdAt: number;
  updatedAt: number;
  endedAt: number | null;
  /** The event that holds what the session copied from its agent. */
  personaSeq: number;
  /** The model's context begins after this event, which cleared or compacted it. */
  contextSeq: number;
  metadata: Json<Metadata>;
  /** JSON of its ceiling, if it was created with one. */
  ceiling: Json<Ceiling> | null;
}

/** A session with data of its runs. */
export interface SessionListRow extends SessionRow {
  head: number;
  persona: Json<{ persona: Persona }>;
  nickname: string | null;
  activeRunId: string | null;
  activeStatus: string | null;
  queuedRuns: number;
}

/** What a write needs before it decides. */
export interface OpenSessionRow extends SessionRow {
  persona: Json<{ persona: Persona }>;
  nickname: string | null;
  ownerId: string | null;
  epoch: number | null;
  activeRunId: string | null;
  activeStatus: string | null;
  activeKind: string | null;
}

const ACTIVE = `a."topicId" = s."topicId" AND a."status" IN ('running', 'waiting_approval', 'waiting_answer')`;

const OPEN = `SELECT s.*, p."body" AS "persona", n."nickname", o."daemonId" AS "ownerId", o."epoch",
    a."runId" AS "activeRunId", a."status" AS "activeStatus", a."kind" AS "activeKind"
  FROM "sessions" s
  JOIN "events" p ON p."topicId" = s."topicId" AND p."seq" = s."personaSeq"
  LEFT JOIN "nicknames" n ON n."agentId" = s."agentId"
  LEFT JOIN "sessionOwners" o ON o."topicId" = s."topicId"
  LEFT JOIN "runs" a ON ${ACTIVE}
  WHERE s."sessionId" = :sessionId`;

export const openSession = statement<{ sessionId: string }, OpenSessionRow>(OPEN);

/** Hot. Opens a session for writing. On PostgreSQL this locks its topic row, so that its writers take turns. */
export const lockSession = statement<{ sessionId: string }, OpenSessionRow>({
  sqlite: OPEN,
  postgres: OPEN,
  lock: `SELECT 1 FROM "topics" WHERE "id" =
    (SELECT "topicId" FROM "sessions" WHERE "sessionId" = :sessionId) FOR UPDATE`,
});

const LISTED = `SELECT s.*, p."body" AS "persona", n."nickname",
    (SELECT max(h."seq") FROM "events" h WHERE h."topicId" = s."topicId") AS "head",
    a."runId" AS "activeRunId", a."status" AS "activeStatus",
    (SELECT count(*) FROM "runs" q WHERE q."topicId" = s."topicId" AND q."status" = 'queued') AS "queuedRuns"
  FROM "sessions" s
  JOIN "events" p ON p."topicId" = s."topicId" AND p."seq" = s."personaSeq"
  LEFT JOIN "nicknames" n ON n."agentId" = s."agentId"
  LEFT JOIN "runs" a ON ${ACTIVE}`;

export const findSession = statement<{ sessionId: string }, SessionListRow>(
  `${LISTED} WHERE s."sessionId" = :sessionId`,
);

/** Newest first; ids sort by time. `before` is an id, or a text greater than all ids. */
export const listSessions = statement<
  {
    before: string;
    agentId: string | null;
    responsibleId: string | null;
    ended: string;
    limit: number;
  },
  SessionListRow
>(
  `${LISTED} WHERE s."sessionId" < :before
     AND (CAST(:agentId AS TEXT) IS NULL OR s."agentId" = :agentId)
     AND (CAST(:responsibleId AS TEXT) IS NULL OR s."responsibleId" = :responsibleId)
     AND (:ended = 'include' OR (:ended = 'only') = (s."endedAt" IS NOT NULL))
   ORDER BY s."sessionId" DESC LIMIT :limit`,
);

export const countSessions = statement<object, { count: number }>(
  `SELECT count(*) AS "count" FROM "sessions" WHERE "endedAt" IS NULL`,
);

export const insertSession = statement<
  Omit<SessionRow, 'updatedAt' | 'endedAt' | 'contextSeq' | 'permissions'>
>(
  `INSERT INTO "sessions" ("topicId", "sessionId", "agentId", "driver", "title", "workspace", "mode", "permissions",
     "parentSessionId", "createdBy", "responsibleId", "createdAt", "updatedAt", "personaSeq", "contextSeq", "metadata",
     "ceiling")
   VALUES (:topicId, :sessionId, :agentId, :driver, :title, :workspace, :mode, '{}',
     :parentSessionId, :createdBy, :responsibleId, :createdAt, :createdAt, :personaSeq, 0, :metadata,
     :ceiling)`,
);

export const findSessionFields = statement<
  { topicId: number },
  Pick<SessionRow, 'title' | 'mode' | 'metadata' | 'permissions'>
>(`SELECT "title", "mode", "metadata", "permissions" FROM "sessions" WHERE "topicId" = :topicId`);

export const updateSession = statement<{
  topicId: number;
  title: string | null;
  mode: string;
  metadata: Json<Metadata>;
  permissions: Json<PermissionRules>;
  at: number;
}>(
  `UPDATE "sessions" SET "title" = :title, "mode" = :mode, "metadata" = :metadata,
     "permissions" = :permissions, "updatedAt" = :at WHERE "topicId" = :topicId`,
);

export const setPersona = statement<{ topicId: number; seq: number; driver: string; at: number }>(
  `UPDATE "sessions" SET "personaSeq" = :seq, "driver" = :driver, "updatedAt" = :at
   WHERE "topicId" = :topicId`,
);

export const setContextSeq = statement<{ topicId: number; seq: number }>(
  `UPDATE "sessions" SET "contextSeq" = :seq WHERE "topicId" = :topicId`,
);

export const setSessionEnded = statement<{ topicId: number; at: number }>(
  `UPDATE "sessions" SET "endedAt" = :at, "updatedAt" = :at WHERE "topicId" = :topicId`,
);

export const listChildSessions = statement<{ parentSessionId: string }, { sessionId: string }>(
  `SELECT "sessionId" FROM "sessions" WHERE "parentSessionId" = :parentSessionId AND "endedAt" IS NULL
   ORDER BY "sessionId"`,
);

/** The depth of a session below its root session, and the number of active sessions below that root. */
export const findFamily = statement<{ sessionId: string }, { depth: number; count: number }>(
  `WITH RECURSIVE "above" ("sessionId", "parentSessionId", "depth") AS (
     SELECT "sessionId", "parentSessionId", 0 FROM "sessions" WHERE "sessionId" = :sessionId
     UNION ALL SELECT p."sessionId", p."parentSessionId", a."depth" + 1
       FROM "above" a JOIN "sessions" p ON p."sessionId" = a."parentSessionId"),
   "below" ("sessionId") AS (
     SELECT "sessionId" FROM "above" WHERE "parentSessionId" IS NULL
     UNION ALL SELECT c."sessionId"
       FROM "below" b JOIN "sessions" c ON c."parentSessionId" = b."sessionId" AND c."endedAt" IS NULL)
   SELECT (SELECT max("depth") FROM "above") AS "depth", (SELECT count(*) - 1 FROM "below") AS "count"`,
);

export const findSessionEnd = statement<{ sessionId: string }, { endedAt: number | null }>(
  `SELECT "endedAt" FROM "sessions" WHERE "sessionId" = :sessionId`,
);

const LEFT_BEHIND = (join: string): string =>
  `SELECT c."sessionId" FROM "sessions" c
   ${join} "sessions" p ON p."sessionId" = c."parentSessionId"
   WHERE c."parentSessionId" IS NOT NULL AND c."endedAt" IS NULL AND p."endedAt" IS NOT NULL
   ORDER BY c."parentSessionId", c."sessionId" LIMIT :limit`;

/** Active sessions whose parent has ended. */
export const listOrphanedSessions = statement<{ limit: number }, { sessionId: string }>({
  sqlite: LEFT_BEHIND('CROSS JOIN'),
  postgres: LEFT_BEHIND('JOIN'),
});

/** The rules of the named authors: the person a session works for, and the owner. */
export const listWorkspaceRules = statement<
  { workspace: string; responsibleId: string; ownerId: string },
  { authorId: string; permissions: Json<PermissionRules> }
>(
  `SELECT "authorId", "permissions" FROM "workspaceRules"
   WHERE "workspace" = :workspace AND "authorId" IN (:responsibleId, :ownerId) ORDER BY "authorId"`,
);

/** Creates the row before it is locked and changed, so that nobody else can create it in between. */
export const beginWorkspaceRules = statement<{ workspace: string; authorId: string; at: number }>(
  `INSERT INTO "workspaceRules" ("workspace", "authorId", "permissions", "updatedAt")
   VALUES (:workspace, :authorId, '{}', :at) ON CONFLICT ("workspace", "authorId") DO NOTHING`,
);

/** Sessions of one workspace write at the same time; changes of its rules take turns here. */
export const lockWorkspaceRules = statement<
  { workspace: string; authorId: string },
  { permissions: Json<PermissionRules> }
>(
  locking(
    `SELECT "permissions" FROM "workspaceRules"
     WHERE "workspace" = :workspace AND "authorId" = :authorId`,
    'FOR UPDATE',
  ),
);

export const putWorkspaceRules = statement<{
  workspace: string;
  authorId: string;
  permissions: Json<PermissionRules>;
  at: number;
}>(
  `INSERT INTO "workspaceRules" ("workspace", "authorId", "permissions", "updatedAt")
   VALUES (:workspace, :authorId, :permissions, :at)
   ON CONFLICT ("workspace", "authorId") DO UPDATE SET "permissions" = excluded."permissions", "updatedAt" = excluded."updatedAt"`,
);

/** The tables that the events of sessions fill. */
export const SESSION_TABLES = { sessions: dump('sessions', '"sessionId"') };
