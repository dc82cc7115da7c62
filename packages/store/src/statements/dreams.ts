import { statement } from '../sql/statement.js';

export interface DreamGateRow {
  gateKey: string;
  memoryId: string;
  ownerId: string;
  namespace: string;
  part: string;
  /** When the last dream of it ended. */
  dreamtAt: number | null;
  /** When its sessions were last counted. */
  scannedAt: number | null;
  /** When the gates were last checked; `refusal` is the reason why no dream started then. */
  checkedAt: number | null;
  refusal: string | null;
  leaseHolder: string | null;
  leaseUntil: number | null;
}

export const ensureDreamGate = statement<
  Pick<DreamGateRow, 'gateKey' | 'memoryId' | 'ownerId' | 'namespace' | 'part'>
>(
  `INSERT INTO "dreamGates" ("gateKey", "memoryId", "ownerId", "namespace", "part")
   VALUES (:gateKey, :memoryId, :ownerId, :namespace, :part) ON CONFLICT ("gateKey") DO NOTHING`,
);

export const findDreamGate = statement<{ gateKey: string }, DreamGateRow>(
  `SELECT * FROM "dreamGates" WHERE "gateKey" = :gateKey`,
);

/** On PostgreSQL concurrent checks of one gate wait for each other. */
export const lockDreamGate = statement<{ gateKey: string }, DreamGateRow>({
  sqlite: `SELECT * FROM "dreamGates" WHERE "gateKey" = :gateKey`,
  postgres: `SELECT * FROM "dreamGates" WHERE "gateKey" = :gateKey FOR UPDATE`,
});

export const setDreamCheck = statement<
  Pick<DreamGateRow, 'gateKey' | 'checkedAt' | 'refusal' | 'scannedAt'>
>(
  `UPDATE "dreamGates" SET "checkedAt" = :checkedAt, "refusal" = :refusal, "scannedAt" = :scannedAt
   WHERE "gateKey" = :gateKey`,
);

export const takeDreamLease = statement<{ gateKey: string; holder: string; until: number }>(
  `UPDATE "dreamGates" SET "leaseHolder" = :holder, "leaseUntil" = :until WHERE "gateKey" = :gateKey`,
);

/** Releases the lease only if this holder still has it. */
export const releaseDreamLease = statement<{ gateKey: string; holder: string }>(
  `UPDATE "dreamGates" SET "leaseHolder" = NULL, "leaseUntil" = NULL
   WHERE "gateKey" = :gateKey AND "leaseHolder" = :holder`,
);

/** Removes every lease on an erased memory. */
export const dropDreamLeases = statement<{ memoryId: string }>(
  `UPDATE "dreamGates" SET "leaseHolder" = NULL, "leaseUntil" = NULL WHERE "memoryId" = :memoryId`,
);

export const setDreamt = statement<{ gateKey: string; at: number }>(
  `UPDATE "dreamGates" SET "dreamtAt" = :at WHERE "gateKey" = :gateKey`,
);

export interface MemoryVisitRow {
  gateKey: string;
  runId: string;
  sessionId: string;
  at: number;
}

export const insertMemoryVisit = statement<MemoryVisitRow>(
  `INSERT INTO "memoryVisits" ("gateKey", "runId", "sessionId", "at")
   VALUES (:gateKey, :runId, :sessionId, :at) ON CONFLICT ("gateKey", "runId") DO NOTHING`,
);

/** Counts the sessions other than this one. */
export const countMemoryVisitors = statement<
  { gateKey: string; sessionId: string },
  { count: number }
>(
  `SELECT count(DISTINCT "sessionId") AS "count" FROM "memoryVisits"
   WHERE "gateKey" = :gateKey AND "sessionId" <> :sessionId`,
);

/** Newest first. */
export const listMemoryVisits = statement<{ gateKey: string; limit: number }, MemoryVisitRow>(
  `SELECT * FROM "memoryVisits" WHERE "gateKey" = :gateKey ORDER BY "at" DESC, "runId" DESC LIMIT :limit`,
);

/** Deletes all but the newest. */
export const trimMemoryVisits = statement<{ gateKey: string; kept: number }>(
  `DELETE FROM "memoryVisits" WHERE "gateKey" = :gateKey AND "runId" NOT IN (
     SELECT "runId" FROM "memoryVisits" WHERE "gateKey" = :gateKey
     ORDER BY "at" DESC, "runId" DESC LIMIT :kept)`,
);

export const deleteMemoryVisits = statement<{ gateKey: string; upTo: number }>(
  `DELETE FROM "memoryVisits" WHERE "gateKey" = :gateKey AND "at" <= :upTo`,
);
