import { dump } from '../sql/dump.js';
import { statement } from '../sql/statement.js';

export interface BoardRow {
  topicId: number;
  boardId: string;
  title: string;
  createdAt: number;
  updatedAt: number;
}

export interface BoardRevisionRow {
  topicId: number;
  boardId: string;
  revision: number;
  assetId: string;
  mediaType: string;
  createdBy: string;
  createdAt: number;
}

export const findBoard = statement<{ topicId: number; boardId: string }, BoardRow>(
  `SELECT * FROM "boards" WHERE "topicId" = :topicId AND "boardId" = :boardId`,
);

/** Oldest first; ids sort by time. */
export const listBoards = statement<{ topicId: number }, BoardRow>(
  `SELECT * FROM "boards" WHERE "topicId" = :topicId ORDER BY "boardId"`,
);

export const putBoard = statement<BoardRow>(
  `INSERT INTO "boards" ("topicId", "boardId", "title", "createdAt", "updatedAt")
   VALUES (:topicId, :boardId, :title, :createdAt, :updatedAt)
   ON CONFLICT ("topicId", "boardId") DO UPDATE SET "title" = excluded."title", "updatedAt" = excluded."updatedAt"`,
);

export const deleteBoard = statement<{ topicId: number; boardId: string }>(
  `DELETE FROM "boards" WHERE "topicId" = :topicId AND "boardId" = :boardId`,
);

export const listBoardRevisions = statement<{ topicId: number; boardId: string }, BoardRevisionRow>(
  `SELECT * FROM "boardRevisions" WHERE "topicId" = :topicId AND "boardId" = :boardId ORDER BY "revision"`,
);

export const insertBoardRevision = statement<BoardRevisionRow>(
  `INSERT INTO "boardRevisions" ("topicId", "boardId", "revision", "assetId", "mediaType", "createdBy", "createdAt")
   VALUES (:topicId, :boardId, :revision, :assetId, :mediaType, :createdBy, :createdAt)`,
);

export const deleteBoardRevisionsUpTo = statement<{
  topicId: number;
  boardId: string;
  revision: number;
}>(
  `DELETE FROM "boardRevisions" WHERE "topicId" = :topicId AND "boardId" = :boardId AND "revision" <= :revision`,
);

/** The tables that the events of boards fill. */
export const BOARD_TABLES = {
  boards: dump('boards', '"boardId"'),
  boardRevisions: dump('boardRevisions', '"boardId", "revision"'),
};
