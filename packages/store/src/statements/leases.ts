import { statement } from '../sql/statement.js';

export interface LeaseRow {
  topicId: number;
  seq: number;
  leaseId: string;
  turnId: string;
  rootMessageId: string;
  originMessageId: string;
  memberId: string;
  sessionId: string;
  runId: string;
  grantedAt: number;
  deadline: number;
  endedAt: number | null;
  outcome: string | null;
}

/** A lease with the state of its run. */
export interface LeaseWithRunRow extends LeaseRow {
  status: string | null;
  startedAt: number | null;
  /** When its run last wrote to its journal; items that others send to the session do not count. */
  progressAt: number | null;
  /** When its run was last active without a journal entry: it wrote text, or a tool ran. */
  activeAt: number | null;
  /** When a question of its run was last settled. */
  settledAt: number | null;
  /** Input and output tokens of its run so far. */
  tokens: number;
}

export const insertLease = statement<Omit<LeaseRow, 'endedAt' | 'outcome'>>(
  `INSERT INTO "leases" ("topicId", "seq", "leaseId", "turnId", "rootMessageId", "originMessageId",
     "memberId", "sessionId", "runId", "grantedAt", "deadline")
   VALUES (:topicId, :seq, :leaseId, :turnId, :rootMessageId, :originMessageId,
     :memberId, :sessionId, :runId, :grantedAt, :deadline)`,
);

export const setLeaseDeadline = statement<{ leaseId: string; deadline: number }>(
  `UPDATE "leases" SET "deadline" = :deadline WHERE "leaseId" = :leaseId`,
);

export const setLeaseEnded = statement<{ leaseId: string; at: number; outcome: string }>(
  `UPDATE "leases" SET "endedAt" = :at, "outcome" = :outcome WHERE "leaseId" = :leaseId`,
);

const DOINGS = [
  'started',
  'resumed',
  'delivered',
  'model_message',
  'tool_call',
  'tool_result',
  'waiting_approval',
  'approval_settled',
  'compacted',
  'note',
  'usage_reported',
  'output_emitted',
]
  .map((type) => `'${type}'`)
  .join(', ');

/**
 * Makes SQLite use the index of live leases. By default it reads all leases of the channel, because their index has
 * the requested order.
 */
const withRun = (index: string): string => `SELECT l.*, r."status", r."startedAt",
    (SELECT e."at" FROM "events" e WHERE e."topicId" = r."topicId" AND e."seq" > r."seq"
       AND e."type" IN (${DOINGS}) ORDER BY e."seq" DESC LIMIT 1) AS "progressAt",
    (SELECT o."activeAt" FROM "sessionOwners" o WHERE o."topicId" = r."topicId"
       AND r."startedAt" IS NOT NULL AND r."endedAt" IS NULL) AS "activeAt",
    (SELECT max(a."settledAt") FROM "approvals" a WHERE a."runId" = l."runId") AS "settledAt",
    (SELECT CAST(coalesce(sum(u."inputTokens" + u."outputTokens"), 0) AS BIGINT)
       FROM "modelCalls" u WHERE u."runId" = l."runId") AS "tokens"
  FROM "leases" l ${index} LEFT JOIN "runs" r ON r."runId" = l."runId"`;
const both = (text: (live: string) => string): { sqlite: string; postgres: string } => ({
  sqlite: text(withRun('INDEXED BY "leasesLive"')),
  postgres: text(withRun('')),
});

/** Active leases of a thread, in the order of their grants. */
export const listLiveLeases = statement<
  { topicId: number; rootMessageId: string },
  LeaseWithRunRow
>(
  both(
    (live) =>
      `${live} WHERE l."topicId" = :topicId AND l."rootMessageId" = :rootMessageId AND l."endedAt" IS NULL
       ORDER BY l."seq", l."leaseId"`,
  ),
);

export const findLeaseOfRun = statement<{ runId: string }, LeaseRow>(
  `SELECT * FROM "leases" WHERE "runId" = :runId`,
);

/** The lease under which a session is speaking in a channel: its run has started. */
export const findSpeaking = statement<{ topicId: number; sessionId: string }, { leaseId: string }>(
  speaking(),
);

function speaking() {
  const text = (index: string): string => `SELECT l."leaseId" FROM "leases" l ${index}
    JOIN "runs" r ON r."runId" = l."runId" WHERE l."topicId" = :topicId AND l."sessionId" = :sessionId
      AND l."endedAt" IS NULL AND r."startedAt" IS NOT NULL LIMIT 1`;
  return { sqlite: text('INDEXED BY "leasesLive"'), postgres: text('') };
}

const PAGE = `l."topicId" = :topicId AND l."seq" < :before`;
const NEWEST = 'ORDER BY "seq" DESC, "leaseId" LIMIT :limit';

/** Newest first. */
export const listLeases = statement<
  { topicId: number; live: number; before: number; limit: number },
  LeaseWithRunRow
>(
  both(
    (live) => `SELECT * FROM (
      SELECT * FROM (${live} WHERE ${PAGE} AND l."endedAt" IS NULL ${NEWEST}) AS "live"
      UNION ALL
      SELECT * FROM (${withRun('')} WHERE :live = 0 AND ${PAGE} AND l."endedAt" IS NOT NULL ${NEWEST}) AS "ended"
    ) AS "leases" ${NEWEST}`,
  ),
);
