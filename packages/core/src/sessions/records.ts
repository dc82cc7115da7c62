import type {
  Approval,
  InboxItem,
  Run,
  Schedule,
  Session,
  SessionEvent,
  Usage,
} from '@stoa/protocol';
import type {
  FullApprovalRow,
  FullInboxItemRow,
  FullRunRow,
  FullScheduleRow,
  SessionListRow,
} from '@stoa/store';
import { agentIdentity } from '../agents/identity.js';
import { dataOf, decode } from '../kernel/codec.js';
import { requestedIn } from './run-facts.js';
import { agentNameOf, personaOf } from './session-gate.js';

type Data<T extends SessionEvent['type']> = Extract<SessionEvent, { type: T }>['data'];

export function sessionRecord(row: SessionListRow): Session {
  const persona = personaOf(row.persona);
  const agentName = agentNameOf(row, persona);
  const { driver } = persona.definition;
  return {
    sessionId: row.sessionId,
    agentId: row.agentId,
    agentName,
    driver: driver.kind,
    ...('model' in driver && driver.model !== undefined ? { model: driver.model } : {}),
    ...(row.title === null ? {} : { title: row.title }),
    workspace: row.workspace,
    mode: row.mode as Session['mode'],
    permissions: decode(row.permissions),
    ...(row.parentSessionId === null ? {} : { parentSessionId: row.parentSessionId }),
    createdBy: row.createdBy,
    responsibleId: row.responsibleId,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    status: statusOf(row),
    ...(row.endedAt === null ? {} : { endedAt: row.endedAt }),
    ...(row.activeRunId === null ? {} : { activeRunId: row.activeRunId }),
    queuedRuns: row.queuedRuns,
    ...agentIdentity(row.agentId, agentName, persona.definition),
    metadata: decode(row.metadata),
    headSeq: row.head,
  };
}

function statusOf(row: SessionListRow): Session['status'] {
  if (row.endedAt !== null) return 'ended';
  if (row.activeStatus?.startsWith('waiting')) return 'waiting';
  return row.activeRunId === null && row.queuedRuns === 0 ? 'idle' : 'busy';
}

export function itemRecord(row: FullInboxItemRow): InboxItem {
  const accepted = decode(row.accepted);
  const { expiresAt: _, ...record } = acceptedRecord(row.sessionId, row.createdAt, accepted);
  return {
    ...record,
    ...(row.expiresAt === null ? {} : { expiresAt: row.expiresAt }),
    // An item whose run ended before it was injected has its own run now.
    appliedRule: accepted.runId === row.runId ? accepted.appliedRule : 'followup',
    state: row.state as InboxItem['state'],
    ...(row.reason === null ? {} : { reason: row.reason }),
    runId: row.runId,
    attempts: row.attempts,
    ...(row.settledAt === null ? {} : { settledAt: row.settledAt }),
  };
}

/** Whether it waits for the next tool boundary of an active run. */
export function waitsForBoundary(row: FullInboxItemRow): boolean {
  return row.state === 'waiting' && itemRecord(row).appliedRule === 'inject';
}

/** An item as it was accepted; also the answer to a repeated idempotency key. */
export function acceptedRecord(
  sessionId: string,
  createdAt: number,
  accepted: Data<'accepted'>,
): InboxItem {
  const { identity: _, memoryScope: __, ...rest } = accepted;
  return { ...rest, sessionId, state: 'waiting', attempts: 0, createdAt };
}

export function runRecord(row: FullRunRow, itemIds: readonly string[]): Run {
  const queued = decode(row.queued);
  const end = row.end === null ? {} : endOf(row.status, row.end);
  return {
    runId: row.runId,
    sessionId: row.sessionId,
    kind: queued.kind,
    status: row.status as Run['status'],
    priority: row.priority,
    itemIds: [...itemIds],
    origin: queued.origin,
    ...requestedIn(queued),
    createdAt: row.createdAt,
    ...(row.startedAt === null ? {} : { startedAt: row.startedAt }),
    ...(row.endedAt === null ? {} : { endedAt: row.endedAt }),
    attempts: row.attempts,
    ...end,
    usage: usageOf(row),
  };
}

function endOf(status: string, body: string): Partial<Run> {
  if (status === 'completed') return { output: dataOf('completed', { body }).output };
  if (status === 'failed') return { failure: dataOf('failed', { body }).failure };
  if (status === 'cancelled') return { cancelReason: dataOf('cancelled', { body }).reason };
  return {};
}

interface UsageColumns {
  readonly modelCalls: number | null;
  readonly inputTokens: number | null;
  readonly cachedInputTokens: number | null;
  readonly outputTokens: number | null;
  readonly cost: number | null;
  readonly unpriced: number | null;
}

/** One call without a price makes the whole cost unknown: a partial sum would look like the total. */
export function usageOf(row: UsageColumns): Usage {
  const modelCalls = row.modelCalls ?? 0;
  return {
    modelCalls,
    inputTokens: row.inputTokens ?? 0,
    cachedInputTokens: row.cachedInputTokens ?? 0,
    outputTokens: row.outputTokens ?? 0,
    ...(modelCalls > 0 && row.unpriced === 0 ? { cost: row.cost ?? 0 } : {}),
  };
}

export function approvalRecord(row: FullApprovalRow): Approval {
  const { approval } = decode(row.asked);
  if (row.settled === null) return approval;
  const { state, scope, answeredBy, updatedInput, answer } = decode(row.settled);
  return {
    ...approval,
    state,
    ...(scope === undefined ? {} : { scope }),
    ...(answeredBy === undefined ? {} : { answeredBy }),
    ...(updatedInput === undefined ? {} : { updatedInput }),
    ...(answer === undefined ? {} : { answer }),
    ...(row.settledAt === null ? {} : { settledAt: row.settledAt }),
  };
}

export function scheduleRecord(row: FullScheduleRow): Schedule {
  const { nextFireAt: _, ...created } = decode(row.created);
  return {
    ...created,
    sessionId: row.sessionId,
    status: row.status as Schedule['status'],
    ...(row.nextFireAt === null ? {} : { nextFireAt: row.nextFireAt }),
    ...(row.lastFireAt === null ? {} : { lastFireAt: row.lastFireAt }),
    ...(row.lastRunId === null ? {} : { lastRunId: row.lastRunId }),
    fires: row.fires,
    skipped: row.skipped,
    createdBy: row.createdBy,
    createdAt: row.createdAt,
  };
}
