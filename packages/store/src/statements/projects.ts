import type { Metadata } from '@stoa/protocol';
import { dump } from '../sql/dump.js';
import { type Json, statement } from '../sql/statement.js';

export interface ProjectRow {
  topicId: number;
  projectId: string;
  displayName: string;
  description: string | null;
  status: string;
  createdBy: string;
  createdAt: number;
  updatedAt: number;
  metadata: Json<Metadata>;
}

/** A project with data of its log and its tables. */
export interface ProjectListRow extends ProjectRow {
  head: number;
  memberCount: number;
  taskCount: number;
}

/** What a write needs before it decides: the project, and the caller's membership. */
export interface OpenProjectRow extends ProjectRow {
  memberId: string | null;
}

export interface ProjectMemberRow {
  topicId: number;
  memberId: string;
  memberKind: string;
  actorId: string;
  displayName: string;
  role: string | null;
  joinedAt: number;
  sessionEndedAt: number | null;
}

export interface ProjectLinkRow {
  topicId: number;
  channelId: string;
  role: string | null;
  isDefault: number;
  mirrors: number;
  linkedAt: number;
}

const OPEN = `SELECT p.*, m."memberId" FROM "projects" p
  LEFT JOIN "projectMembers" m ON m."topicId" = p."topicId" AND m."actorId" = :actorId
  WHERE p."projectId" = :projectId`;

export const openProject = statement<{ projectId: string; actorId: string }, OpenProjectRow>(OPEN);

/** On PostgreSQL this locks the topic row, so that writers of one project take turns. */
export const lockProject = statement<{ projectId: string; actorId: string }, OpenProjectRow>({
  sqlite: OPEN,
  postgres: OPEN,
  lock: `SELECT 1 FROM "topics" WHERE "id" =
    (SELECT "topicId" FROM "projects" WHERE "projectId" = :projectId) FOR UPDATE`,
});

const LISTED = `SELECT p.*, (SELECT max(h."seq") FROM "events" h WHERE h."topicId" = p."topicId") AS "head",
    (SELECT count(*) FROM "projectMembers" m WHERE m."topicId" = p."topicId") AS "memberCount",
    (SELECT count(*) FROM "projectTasks" t WHERE t."topicId" = p."topicId") AS "taskCount"
  FROM "projects" p`;

export const findProject = statement<{ projectId: string }, ProjectListRow>(
  `${LISTED} WHERE p."projectId" = :projectId`,
);

/** Ordered by id. An empty filter matches everything. */
export const listProjects = statement<
  {
    after: string;
    pattern: string;
    status: string;
    actorId: string;
    channelId: string;
    limit: number;
  },
  ProjectListRow
>(
  `${LISTED} WHERE p."projectId" > :after AND (:status = '' OR p."status" = :status)
     AND (:pattern = '' OR lower(p."projectId") LIKE :pattern ESCAPE '\\' OR lower(p."displayName") LIKE :pattern ESCAPE '\\'
       OR lower(coalesce(p."description", '')) LIKE :pattern ESCAPE '\\')
     AND (:actorId = '' OR EXISTS (SELECT 1 FROM "projectMembers" m WHERE m."topicId" = p."topicId" AND m."actorId" = :actorId))
     AND (:channelId = '' OR EXISTS (SELECT 1 FROM "projectLinks" l WHERE l."topicId" = p."topicId" AND l."channelId" = :channelId))
   ORDER BY p."projectId" LIMIT :limit`,
);

export const countProjects = statement<object, { count: number }>(
  `SELECT count(*) AS "count" FROM "projects"`,
);

export const insertProject = statement<ProjectRow>(
  `INSERT INTO "projects" ("topicId", "projectId", "displayName", "description", "status", "createdBy", "createdAt", "updatedAt", "metadata")
   VALUES (:topicId, :projectId, :displayName, :description, :status, :createdBy, :createdAt, :updatedAt, :metadata)`,
);

export const findProjectFields = statement<
  { topicId: number },
  Pick<ProjectRow, 'projectId' | 'displayName' | 'description' | 'status' | 'metadata'>
>(
  `SELECT "projectId", "displayName", "description", "status", "metadata" FROM "projects" WHERE "topicId" = :topicId`,
);

export const updateProject = statement<{
  topicId: number;
  displayName: string;
  description: string | null;
  status: string;
  metadata: Json<Metadata>;
  at: number;
}>(
  `UPDATE "projects" SET "displayName" = :displayName, "description" = :description, "status" = :status,
     "metadata" = :metadata, "updatedAt" = :at WHERE "topicId" = :topicId`,
);

/** Deletes every table of a project; all of them are bounded. */
export const DELETE_PROJECT = [
  'taskBlockers',
  'projectTasks',
  'projectLinks',
  'projectMembers',
  'projects',
].map((table) =>
  statement<{ topicId: number }>(`DELETE FROM "${table}" WHERE "topicId" = :topicId`),
);

export const listProjectMembers = statement<{ topicId: number }, ProjectMemberRow>(
  `SELECT * FROM "projectMembers" WHERE "topicId" = :topicId ORDER BY "joinedAt", "memberId"`,
);

export const findProjectMember = statement<{ topicId: number; memberId: string }, ProjectMemberRow>(
  `SELECT * FROM "projectMembers" WHERE "topicId" = :topicId AND "memberId" = :memberId`,
);

export const findProjectMemberByActor = statement<
  { topicId: number; actorId: string },
  ProjectMemberRow
>(`SELECT * FROM "projectMembers" WHERE "topicId" = :topicId AND "actorId" = :actorId`);

/** The projects of an actor. */
export const listProjectsOfActor = statement<
  { actorId: string },
  { projectId: string; memberId: string }
>(
  `SELECT p."projectId", m."memberId" FROM "projectMembers" m JOIN "projects" p ON p."topicId" = m."topicId"
   WHERE m."actorId" = :actorId ORDER BY p."projectId"`,
);

export const upsertProjectMember = statement<ProjectMemberRow>(
  `INSERT INTO "projectMembers" ("topicId", "memberId", "memberKind", "actorId", "displayName", "role", "joinedAt", "sessionEndedAt")
   VALUES (:topicId, :memberId, :memberKind, :actorId, :displayName, :role, :joinedAt, :sessionEndedAt)
   ON CONFLICT ("topicId", "memberId") DO UPDATE SET "displayName" = excluded."displayName", "role" = excluded."role"`,
);

export const setProjectSessionEnded = statement<{ topicId: number; memberId: string; at: number }>(
  `UPDATE "projectMembers" SET "sessionEndedAt" = :at WHERE "topicId" = :topicId AND "memberId" = :memberId`,
);

export const deleteProjectMember = statement<{ topicId: number; memberId: string }>(
  `DELETE FROM "projectMembers" WHERE "topicId" = :topicId AND "memberId" = :memberId`,
);

export const listProjectLinks = statement<{ topicId: number }, ProjectLinkRow>(
  `SELECT * FROM "projectLinks" WHERE "topicId" = :topicId ORDER BY "channelId"`,
);

export const listLinksOfChannel = statement<{ channelId: string }, { projectId: string }>(
  `SELECT p."projectId" FROM "projectLinks" l JOIN "projects" p ON p."topicId" = l."topicId"
   WHERE l."channelId" = :channelId ORDER BY p."projectId"`,
);

/** The first other project that mirrors this member into the channel. */
export const findMirroredElsewhere = statement<
  { channelId: string; actorId: string; exceptTopicId: number },
  ProjectMemberRow & { projectId: string }
>(
  `SELECT m.*, p."projectId" FROM "projectMembers" m
   JOIN "projectLinks" l ON l."topicId" = m."topicId" AND l."channelId" = :channelId AND l."mirrors" = 1
   JOIN "projects" p ON p."topicId" = m."topicId"
   WHERE m."actorId" = :actorId AND m."topicId" <> :exceptTopicId ORDER BY p."projectId" LIMIT 1`,
);

export const upsertProjectLink = statement<ProjectLinkRow>(
  `INSERT INTO "projectLinks" ("topicId", "channelId", "role", "isDefault", "mirrors", "linkedAt")
   VALUES (:topicId, :channelId, :role, :isDefault, :mirrors, :linkedAt)
   ON CONFLICT ("topicId", "channelId") DO UPDATE SET "role" = excluded."role",
     "isDefault" = excluded."isDefault", "mirrors" = excluded."mirrors"`,
);

/** At most one link is the default for new tasks. */
export const clearDefaultLink = statement<{ topicId: number }>(
  `UPDATE "projectLinks" SET "isDefault" = 0 WHERE "topicId" = :topicId AND "isDefault" = 1`,
);

export const deleteProjectLink = statement<{ topicId: number; channelId: string }>(
  `DELETE FROM "projectLinks" WHERE "topicId" = :topicId AND "channelId" = :channelId`,
);

/** The tables that the events of projects fill. */
export const PROJECT_TABLES = {
  projects: dump('projects', '"projectId"'),
  projectMembers: dump('projectMembers', '"memberId"'),
  projectLinks: dump('projectLinks', '"channelId"'),
  projectTasks: dump('projectTasks', '"taskId"'),
  taskBlockers: dump('taskBlockers', '"taskId", "blockerId"'),
};
