import type { PermissionRules, SessionEvent, StoredItem, Usage } from '@stoa/protocol';
import {
  findRunRow,
  findSessionFields,
  insertApproval,
  insertAttachment,
  insertInboxItem,
  insertModelCall,
  insertRun,
  insertSchedule,
  insertSession,
  listPendingApprovalsOfRun,
  markAssetUsed,
  requeueInboxItem,
  setContextSeq,
  setPersona,
  setRunEnded,
  setRunOutput,
  setRunResumed,
  setRunStarted,
  setRunStatus,
  setScheduleFired,
  setScheduleStatus,
  setSessionEnded,
  settleApproval,
  settleInboxItem,
  type Tx,
  updateSession,
} from '@stoa/store';
import { projectBoardEvent } from '../boards/projection.js';
import type { Place } from '../log/entry.js';
import { extendRules } from '../permissions/rules.js';
import { projectTaskEvent } from '../tasks/projection.js';

/**
 * What one event does to the tables of its session. It decides nothing and reads nothing but those
 * tables, so that replaying a log from zero gives the same tables.
 */
export function* projectSessionEvent(place: Place, event: SessionEvent): Tx<void> {
  const { topicId, seq, at } = place;
  switch (event.type) {
    case 'session_created': {
      const { sessionId, persona, workspace, title, mode, parentSessionId, metadata } = event.data;
      yield* insertSession.run({
        topicId,
        sessionId,
        agentId: persona.agentId,
        driver: persona.definition.driver.kind,
        title: title ?? null,
        workspace,
        mode,
        parentSessionId: parentSessionId ?? null,
        createdBy: place.actor,
        responsibleId: event.data.responsibleId,
        createdAt: at,
        personaSeq: seq,
        metadata: JSON.stringify(metadata),
        ceiling: event.data.ceiling === undefined ? null : JSON.stringify(event.data.ceiling),
      });
      return;
    }
    case 'session_updated':
    case 'permissions_extended':
      yield* changeSession(place, event);
      return;
    case 'session_refreshed': {
      const driver = event.data.persona.definition.driver.kind;
      yield* setPersona.run({ topicId, seq, driver, at });
      return;
    }
    case 'session_cleared':
    case 'compacted':
      yield* setContextSeq.run({ topicId, seq });
      return;
    case 'session_ended':
      yield* setSessionEnded.run({ topicId, at });
      return;
    case 'board_created':
    case 'board_revised':
    case 'board_deleted':
      yield* projectBoardEvent(place, event);
      return;
    case 'accepted': {
      const { itemId, kind, runId, from, expiresAt } = event.data;
      const row = { topicId, seq, itemId, kind, runId, fromId: from, at };
      yield* insertInboxItem.run({ ...row, expiresAt: expiresAt ?? null });
      yield* hold(topicId, itemId, event.data.inputItems);
      return;
    }
    case 'queued': {
      const { runId, kind, rule, priority, origin } = event.data;
      const channelId = origin.channelId ?? null;
      yield* insertRun.run({ topicId, seq, runId, kind, rule, priority, channelId, at });
      return;
    }
    case 'requeued': {
      const { itemId, runId, attempts, reason, expiresAt = null } = event.data;
      yield* requeueInboxItem.run({ itemId, runId, attempts, reason, expiresAt });
      return;
    }
    case 'delivered':
      yield* settleInboxItem.run({
        itemId: event.data.itemId,
        state: 'delivered',
        reason: null,
        at,
      });
      return;
    case 'dropped':
    case 'dead_lettered': {
      const { itemId, reason } = event.data;
      const state = event.type === 'dropped' ? 'dropped' : 'dead_letter';
      yield* settleInboxItem.run({ itemId, state, reason, at });
      return;
    }
    case 'started':
      yield* setRunStarted.run({ runId: event.data.runId, at });
      return;
    case 'resumed':
      yield* setRunResumed.run({ runId: event.data.runId });
      return;
    case 'model_message':
    case 'usage_reported':
      if (event.data.usage) yield* countUsage(place, event.data, event.data.usage);
      return;
    case 'upkeep_reported':
      yield* countUsage(place, { ...event.data, origin: {} }, event.data.usage);
      return;
    case 'waiting_approval': {
      const { approval } = event.data;
      const { approvalId, runId, callId, kind, createdAt, expiresAt } = approval;
      const row = { topicId, seq, approvalId, runId, callId, kind, createdAt, expiresAt };
      yield* insertApproval.run(row);
      const status = kind === 'question' ? 'waiting_answer' : 'waiting_approval';
      yield* setRunStatus.run({ runId, status });
      return;
    }
    case 'approval_settled': {
      const { approvalId, runId, state } = event.data;
      yield* settleApproval.run({ approvalId, state, at, seq });
      yield* wakeRun(runId);
      return;
    }
    case 'output_emitted':
      yield* setRunOutput.run({ runId: event.data.runId, seq });
      // It is to be published, whatever becomes of the board it is from.
      yield* hold(topicId, event.data.runId, event.data.items);
      return;
    case 'completed':
    case 'failed':
    case 'cancelled':
    case 'interrupted':
      yield* setRunEnded.run({ runId: event.data.runId, status: event.type, at, seq });
      return;
    case 'schedule_created': {
      const { scheduleId, nextFireAt } = event.data;
      yield* insertSchedule.run({ topicId, seq, scheduleId, nextFireAt: nextFireAt ?? null });
      return;
    }
    case 'schedule_changed': {
      const { scheduleId, status, nextFireAt } = event.data;
      yield* setScheduleStatus.run({ scheduleId, status, nextFireAt: nextFireAt ?? null });
      return;
    }
    case 'schedule_fired': {
      const { scheduleId, dueAt, runId } = event.data;
      yield* setScheduleFired.run({ scheduleId, at: dueAt, runId, fires: 1, skipped: 0 });
      return;
    }
    case 'schedule_skipped': {
      const { scheduleId, dueAt } = event.data;
      yield* setScheduleFired.run({ scheduleId, at: dueAt, runId: null, fires: 0, skipped: 1 });
      return;
    }
    case 'background_task_created':
    case 'background_task_changed':
    case 'background_task_ended':
    case 'background_task_handed_over':
    case 'background_task_received':
    case 'background_task_evicted':
      yield* projectTaskEvent(place, event);
      return;
    case 'tool_call':
    case 'tool_result':
    case 'context_given':
    case 'note':
    case 'publishing':
      return;
  }
}

/** What an item or an output refers to is kept as long as the session. */
function* hold(topicId: number, messageId: string, items: readonly StoredItem[]): Tx<void> {
  for (const item of items) {
    if (item.type !== 'asset_reference') continue;
    yield* insertAttachment.run({ topicId, messageId, assetId: item.assetId });
    yield* markAssetUsed.run({ assetId: item.assetId });
  }
}

type Change = Extract<SessionEvent, { type: 'session_updated' | 'permissions_extended' }>;

function* changeSession({ topicId, at }: Place, change: Change): Tx<void> {
  const now = yield* findSessionFields.first({ topicId });
  if (!now) return;
  if (change.type === 'permissions_extended') {
    const permissions = extendRules(
      JSON.parse(now.permissions) as PermissionRules,
      change.data.permissions,
    );
    yield* updateSession.run({ topicId, at, ...now, permissions: JSON.stringify(permissions) });
    return;
  }
  const { title, mode, metadata } = change.data;
  yield* updateSession.run({
    topicId,
    at,
    title: title === undefined ? now.title : title,
    mode: mode ?? now.mode,
    metadata: metadata === undefined ? now.metadata : JSON.stringify(metadata),
    permissions: now.permissions,
  });
}

/** A run that waits for nothing any more goes on. */
function* wakeRun(runId: string): Tx<void> {
  const run = yield* findRunRow.first({ runId });
  if (run?.status !== 'waiting_approval' && run?.status !== 'waiting_answer') return;
  const [pending] = yield* listPendingApprovalsOfRun.all({ runId });
  const waiting = pending?.kind === 'question' ? 'waiting_answer' : 'waiting_approval';
  yield* setRunStatus.run({ runId, status: pending ? waiting : 'running' });
}

function* countUsage(
  { topicId, seq, at }: Place,
  by: {
    runId: string;
    origin: { channelId?: string | undefined };
    provider?: string | undefined;
    model?: string | undefined;
  },
  usage: Usage,
): Tx<void> {
  const { modelCalls, inputTokens, cachedInputTokens, outputTokens, cost } = usage;
  yield* insertModelCall.run({
    topicId,
    seq,
    at,
    runId: by.runId,
    channelId: by.origin.channelId ?? null,
    provider: by.provider ?? null,
    model: by.model ?? null,
    modelCalls,
    inputTokens,
    cachedInputTokens,
    outputTokens,
    cost: cost ?? null,
  });
}
