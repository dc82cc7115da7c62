import { statement } from '../sql/statement.js';

export interface TaskRow {
  topicId: number;
  taskId: string;
  title: string;
  description: string | null;
  assigneeId: string | null;
  parentTaskId: string | null;
  status: string;
  channelId: string | null;
  rootMessageId: string | null;
  runId: string | null;
  output: string | null;
  createdBy: string;
  createdAt: number;
  updatedAt: number;
  revision: number;
  writtenBy: string;
}

export const findTask = statement<{ topicId: number; taskId: string }, TaskRow>(
  `SELECT * FROM "projectTasks" WHERE "topicId" = :topicId AND "taskId" = :taskId`,
);

/**
 * Oldest first. Ids sort by time after their prefix, which is `tsk_` in older data and `ptk_` since. An empty status
 * or assignee matches every task.
 */
export const listTasks = statement<
  { topicId: number; after: string; status: string; assigneeId: string; limit: number },
  TaskRow
>(
  `SELECT * FROM "projectTasks" WHERE "topicId" = :topicId AND substr("taskId", 5) > substr(:after, 5)
     AND (:status = '' OR "status" = :status) AND (:assigneeId = '' OR "assigneeId" = :assigneeId)
   ORDER BY substr("taskId", 5) LIMIT :limit`,
);

export const countTasks = statement<{ topicId: number }, { count: number }>(
  `SELECT count(*) AS "count" FROM "projectTasks" WHERE "topicId" = :topicId`,
);

export const putTask = statement<TaskRow>(
  `INSERT INTO "projectTasks" ("topicId", "taskId", "title", "description", "assigneeId", "parentTaskId", "status",
     "channelId", "rootMessageId", "runId", "output", "createdBy", "createdAt", "updatedAt",
     "revision", "writtenBy")
   VALUES (:topicId, :taskId, :title, :description, :assigneeId, :parentTaskId, :status,
     :channelId, :rootMessageId, :runId, :output, :createdBy, :createdAt, :updatedAt,
     :revision, :writtenBy)
   ON CONFLICT ("topicId", "taskId") DO UPDATE SET "title" = excluded."title", "description" = excluded."description",
     "assigneeId" = excluded."assigneeId", "parentTaskId" = excluded."parentTaskId", "status" = excluded."status",
     "channelId" = excluded."channelId", "rootMessageId" = excluded."rootMessageId", "runId" = excluded."runId",
     "output" = excluded."output", "updatedAt" = excluded."updatedAt",
     "revision" = excluded."revision", "writtenBy" = excluded."writtenBy"`,
);

export const deleteTask = statement<{ topicId: number; taskId: string }>(
  `DELETE FROM "projectTasks" WHERE "topicId" = :topicId AND "taskId" = :taskId`,
);

/** Tasks of a member that leaves have no assignee. */
export const clearAssignee = statement<{ topicId: number; assigneeId: string }>(
  `UPDATE "projectTasks" SET "assigneeId" = NULL WHERE "topicId" = :topicId AND "assigneeId" = :assigneeId`,
);

export const clearParentTask = statement<{ topicId: number; parentTaskId: string }>(
  `UPDATE "projectTasks" SET "parentTaskId" = NULL WHERE "topicId" = :topicId AND "parentTaskId" = :parentTaskId`,
);

/** The edges of the task graph, in which cycles are searched. */
export const listTaskParents = statement<
  { topicId: number },
  { taskId: string; parentTaskId: string | null; status: string }
>(
  `SELECT "taskId", "parentTaskId", "status" FROM "projectTasks" WHERE "topicId" = :topicId ORDER BY "taskId"`,
);

export const listBlockers = statement<{ topicId: number }, { taskId: string; blockerId: string }>(
  `SELECT "taskId", "blockerId" FROM "taskBlockers" WHERE "topicId" = :topicId ORDER BY "taskId", "blockerId"`,
);

export const listBlockersOfTask = statement<
  { topicId: number; taskId: string },
  { blockerId: string; status: string }
>(
  `SELECT b."blockerId", t."status" FROM "taskBlockers" b
   JOIN "projectTasks" t ON t."topicId" = b."topicId" AND t."taskId" = b."blockerId"
   WHERE b."topicId" = :topicId AND b."taskId" = :taskId ORDER BY b."blockerId"`,
);

export const insertBlocker = statement<{ topicId: number; taskId: string; blockerId: string }>(
  `INSERT INTO "taskBlockers" ("topicId", "taskId", "blockerId") VALUES (:topicId, :taskId, :blockerId)
   ON CONFLICT DO NOTHING`,
);

export const deleteBlockers = statement<{ topicId: number; taskId: string }>(
  `DELETE FROM "taskBlockers" WHERE "topicId" = :topicId AND "taskId" = :taskId`,
);

/** Removes a deleted task from the tasks that wait for it. */
export const deleteBlocker = statement<{ topicId: number; blockerId: string }>(
  `DELETE FROM "taskBlockers" WHERE "topicId" = :topicId AND "blockerId" = :blockerId`,
);
