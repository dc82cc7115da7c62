import type { EventData } from '@stoa/protocol';
import { dump } from '../sql/dump.js';
import { type Json, statement } from '../sql/statement.js';

export interface ApprovalRow {
  topicId: number;
  /** The event that asked; it holds the exact arguments. */
  seq: number;
  approvalId: string;
  runId: string;
  callId: string;
  kind: string;
  state: string;
  createdAt: number;
  expiresAt: number;
  settledAt: number | null;
  settledSeq: number | null;
}

export interface FullApprovalRow extends ApprovalRow {
  sessionId: string;
  responsibleId: string;
  asked: Json<EventData<'waiting_approval'>>;
  settled: Json<EventData<'approval_settled'>> | null;
}

const FULL = `SELECT a.*, s."sessionId", s."responsibleId", q."body" AS "asked", e."body" AS "settled"
  FROM "approvals" a
  JOIN "sessions" s ON s."topicId" = a."topicId"
  JOIN "events" q ON q."topicId" = a."topicId" AND q."seq" = a."seq"
  LEFT JOIN "events" e ON e."topicId" = a."topicId" AND e."seq" = a."settledSeq"`;

export const findApproval = statement<{ approvalId: string }, FullApprovalRow>(
  `${FULL} WHERE a."approvalId" = :approvalId`,
);

export const findApprovalOfCall = statement<{ runId: string; callId: string }, FullApprovalRow>(
  `${FULL} WHERE a."runId" = :runId AND a."callId" = :callId ORDER BY a."seq" DESC LIMIT 1`,
);

/** Newest first; `responsibleId` selects the sessions of one person. */
export const listApprovals = statement<
  {
    before: string;
    state: string | null;
    sessionId: string | null;
    responsibleId: string | null;
    limit: number;
  },
  FullApprovalRow
>(
  `${FULL} WHERE a."approvalId" < :before
     AND (CAST(:state AS TEXT) IS NULL OR a."state" = :state)
     AND (CAST(:sessionId AS TEXT) IS NULL OR s."sessionId" = :sessionId)
     AND (CAST(:responsibleId AS TEXT) IS NULL OR s."responsibleId" = :responsibleId)
   ORDER BY a."approvalId" DESC LIMIT :limit`,
);

export const listPendingApprovalsOfRun = statement<{ runId: string }, ApprovalRow>(
  `SELECT * FROM "approvals" WHERE "runId" = :runId AND "state" = 'pending' ORDER BY "seq"`,
);

export const listOverdueApprovals = statement<
  { now: number; limit: number },
  { approvalId: string; sessionId: string }
>(
  `SELECT a."approvalId", s."sessionId" FROM "approvals" a JOIN "sessions" s ON s."topicId" = a."topicId"
   WHERE a."state" = 'pending' AND a."expiresAt" <= :now ORDER BY a."expiresAt" LIMIT :limit`,
);

export const insertApproval = statement<Omit<ApprovalRow, 'state' | 'settledAt' | 'settledSeq'>>(
  `INSERT INTO "approvals" ("topicId", "seq", "approvalId", "runId", "callId", "kind", "state", "createdAt", "expiresAt")
   VALUES (:topicId, :seq, :approvalId, :runId, :callId, :kind, 'pending', :createdAt, :expiresAt)`,
);

export const settleApproval = statement<{
  approvalId: string;
  state: string;
  at: number;
  seq: number;
}>(
  `UPDATE "approvals" SET "state" = :state, "settledAt" = :at, "settledSeq" = :seq
   WHERE "approvalId" = :approvalId`,
);

/** The tables that the events of approvals fill. */
export const APPROVAL_TABLES = { approvals: dump('approvals', '"seq"') };
