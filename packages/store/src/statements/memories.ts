import type { EventData } from '@stoa/protocol';
import { dump } from '../sql/dump.js';
import { type Json, statement } from '../sql/statement.js';

interface MemoryRow {
  topicId: number;
  memoryId: string;
  ownerId: string;
  namespace: string;
  updatedAt: number;
}

export interface CountedMemoryRow extends MemoryRow {
  noteCount: number;
}

export interface FullNoteRow {
  seq: number;
  noteId: string;
  /** The event that created it. */
  kept: Json<EventData<'note_kept'>>;
  createdAt: number;
}

const COUNTED = `SELECT m.*,
    (SELECT count(*) FROM "memoryNotes" n WHERE n."topicId" = m."topicId") AS "noteCount"
  FROM "memories" m`;

export const findMemory = statement<{ memoryId: string }, CountedMemoryRow>(
  `${COUNTED} WHERE m."memoryId" = :memoryId`,
);

/** Newest first. */
export const listMemories = statement<
  { ownerId: string | null; namespace: string | null; before: number; limit: number },
  CountedMemoryRow
>(
  `${COUNTED} WHERE m."topicId" < :before
     AND (CAST(:ownerId AS TEXT) IS NULL OR m."ownerId" = :ownerId)
     AND (CAST(:namespace AS TEXT) IS NULL OR m."namespace" = :namespace)
   ORDER BY m."topicId" DESC LIMIT :limit`,
);

export const countMemories = statement<{ ownerId: string }, { count: number }>(
  `SELECT count(*) AS "count" FROM "memories" WHERE "ownerId" = :ownerId`,
);

export const putMemory = statement<MemoryRow>(
  `INSERT INTO "memories" ("topicId", "memoryId", "ownerId", "namespace", "updatedAt")
   VALUES (:topicId, :memoryId, :ownerId, :namespace, :updatedAt)
   ON CONFLICT ("topicId") DO UPDATE SET "updatedAt" = excluded."updatedAt"`,
);

export const touchMemory = statement<{ topicId: number; at: number }>(
  `UPDATE "memories" SET "updatedAt" = :at WHERE "topicId" = :topicId`,
);

export const insertNote = statement<{
  topicId: number;
  seq: number;
  noteId: string;
  isolated: number;
}>(
  `INSERT INTO "memoryNotes" ("topicId", "seq", "noteId", "isolated")
   VALUES (:topicId, :seq, :noteId, :isolated)`,
);

export const findNote = statement<{ topicId: number; noteId: string }, { seq: number }>(
  `SELECT "seq" FROM "memoryNotes" WHERE "topicId" = :topicId AND "noteId" = :noteId`,
);

/** Newest first; isolated notes only if requested. */
export const listNotes = statement<
  { topicId: number; isolated: number; before: number; limit: number },
  FullNoteRow
>(
  `SELECT n."seq", n."noteId", e."body" AS "kept", e."at" AS "createdAt" FROM "memoryNotes" n
   JOIN "events" e ON e."topicId" = n."topicId" AND e."seq" = n."seq"
   WHERE n."topicId" = :topicId AND n."seq" < :before AND n."isolated" <= :isolated
   ORDER BY n."seq" DESC LIMIT :limit`,
);

export const deleteNote = statement<{ topicId: number; noteId: string }>(
  `DELETE FROM "memoryNotes" WHERE "topicId" = :topicId AND "noteId" = :noteId`,
);

export const deleteNotes = statement<{ topicId: number }>(
  `DELETE FROM "memoryNotes" WHERE "topicId" = :topicId`,
);

/** The tables that the events of memories fill. */
export const MEMORY_TABLES = {
  memories: dump('memories', '"memoryId"'),
  memoryNotes: dump('memoryNotes', '"seq"'),
};
