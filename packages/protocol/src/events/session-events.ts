import { z } from 'zod';
import { TERMINAL_RUN_STATUSES } from '../enumerations.js';
import {
  AgentDefinition,
  AgentId,
  AgentSource,
  PermissionMode,
  PermissionRules,
} from '../records/agent.js';
import { Approval, ApprovalScope, ApprovalState } from '../records/approval.js';
import { Ceiling, requested } from '../records/ceiling.js';
import { Title } from '../records/channel.js';
import { ChannelDelivery } from '../records/delivery.js';
import { ChannelRuntimeIdentity, ChannelRuntimeMemoryScope } from '../records/identity.js';
import {
  ActorId,
  ApprovalId,
  AssetId,
  BoardId,
  ChannelId,
  EpochMs,
  InboxItemId,
  MessageId,
  Metadata,
  RunId,
  ScheduleId,
  Seq,
  SessionId,
  TaskId,
} from '../records/ids.js';
import { DeliveredHow } from '../records/inbox.js';
import { MemoryNote } from '../records/memory.js';
import { StoredItem } from '../records/message.js';
import { CancelReason, RunFailure } from '../records/run.js';
import { Cadence, Misfire, Overlap, ScheduleStatus } from '../records/schedule.js';
import { SessionTitle, WorkspacePath } from '../records/session.js';
import { TaskChange, TaskEnd, TaskEntry } from '../records/task.js';
import { AssistantPart, ToolKind, ToolOutcome } from '../records/transcript.js';
import { Usage } from '../records/usage.js';
import { DispatchRule, Origin, Priority, WorkKind } from '../records/work.js';
import { defineTopic, event } from './define-topic.js';

/**
 * Common to all events of a run: which run, where its work came from, which identity it has and what it may remember.
 */
const ofRun = {
  runId: RunId,
  origin: Origin,
  identity: ChannelRuntimeIdentity,
  memoryScope: ChannelRuntimeMemoryScope,
};

/** A revision of a board; its content is in the asset. */
const drawn = {
  boardId: BoardId,
  revision: z.int().min(1),
  assetId: AssetId,
  mediaType: z.string(),
};

/** What a session copied from its agent when it was created; later edits of the agent do not change it. */
export const Persona = z.strictObject({
  agentId: AgentId,
  source: AgentSource,
  definition: AgentDefinition,
  /** The instructions of the workspace (AGENTS.md) at that time. */
  workspaceInstructions: z.string().optional(),
});
export type Persona = z.infer<typeof Persona>;

/**
 * Everything that happens to a session: its life, its inbox, its runs and their steps. The tables of a session are a
 * replay of these, and an interrupted run resumes from them. Text that is being written is not here: it is sent live
 * in chunks, and is in `model_message` when it is complete.
 */
export const SessionEvent = z.lazy(() =>
  z.discriminatedUnion('type', [
    event('session_created', {
      sessionId: SessionId,
      persona: Persona,
      workspace: WorkspacePath,
      title: SessionTitle.optional(),
      mode: PermissionMode,
      parentSessionId: SessionId.optional(),
      /** The person it works for. */
      responsibleId: ActorId,
      /** The ceiling of the run that created it: the session never does more. */
      ceiling: Ceiling.optional(),
      metadata: Metadata,
    }),
    event('session_updated', {
      title: SessionTitle.nullable().optional(),
      mode: PermissionMode.optional(),
      metadata: Metadata.optional(),
    }),
    event('session_refreshed', { persona: Persona }),
    event('permissions_extended', { permissions: PermissionRules }),
    event('session_cleared', {}),
    event('session_ended', { reason: z.string() }),

    event('accepted', {
      itemId: InboxItemId,
      kind: WorkKind,
      rule: DispatchRule,
      appliedRule: DispatchRule,
      priority: Priority,
      from: ActorId,
      fromName: z.string(),
      subject: z.string().optional(),
      inputItems: z.array(StoredItem),
      expiresAt: EpochMs.optional(),
      delivery: ChannelDelivery.optional(),
      metadata: Metadata,
      ...requested,
      ...ofRun,
    }),
    event('queued', {
      kind: WorkKind,
      rule: DispatchRule,
      priority: Priority,
      ...requested,
      ...ofRun,
    }),
    /** An item moves to another run: its attempt failed, or it was replayed and no longer expires. */
    event('requeued', {
      itemId: InboxItemId,
      attempts: z.int(),
      reason: z.string(),
      expiresAt: EpochMs.optional(),
      ...ofRun,
    }),
    event('delivered', { itemId: InboxItemId, how: DeliveredHow, ...ofRun }),
    event('dropped', { itemId: InboxItemId, reason: z.string(), ...ofRun }),
    event('dead_lettered', { itemId: InboxItemId, reason: z.string(), ...ofRun }),

    event('started', { attempt: z.int(), ...ofRun }),
    event('resumed', { attempt: z.int(), unknownCallIds: z.array(z.string()), ...ofRun }),
    event('model_message', {
      step: z.int(),
      parts: z.array(AssistantPart),
      provider: z.string().optional(),
      model: z.string().optional(),
      finishReason: z.string(),
      usage: Usage.optional(),
      ...ofRun,
    }),
    event('tool_call', {
      callId: z.string(),
      tool: z.string(),
      kind: ToolKind,
      title: z.string(),
      /** The executed input: that of the model, or what an approval changed it to. */
      input: z.json(),
      inputHash: z.string(),
      approvalId: ApprovalId.optional(),
      ...ofRun,
    }),
    event('tool_result', {
      callId: z.string(),
      tool: z.string(),
      outcome: ToolOutcome,
      output: z.string(),
      durationMs: z.int().min(0).optional(),
      ...ofRun,
    }),
    event('waiting_approval', { approval: Approval, ...ofRun }),
    event('approval_settled', {
      approvalId: ApprovalId,
      state: ApprovalState,
      scope: ApprovalScope.optional(),
      answeredBy: ActorId.optional(),
      updatedInput: z.json().optional(),
      answer: z.string().optional(),
      ...ofRun,
    }),
    /**
     * Injected once: with a turn in a channel that has an identity or a memory scope, and outside channels if
     * something is remembered; then it has no channel.
     */
    event('context_given', {
      channelId: ChannelId.optional(),
      channelIdentity: ChannelRuntimeIdentity.optional(),
      /** The files of the memory: a line for each, and the whole text of those that match the request. */
      files: z
        .strictObject({
          index: z.string(),
          topics: z.array(
            z.strictObject({ name: z.string(), text: z.string(), isWhole: z.boolean() }),
          ),
          unlisted: z.int().min(0),
        })
        .optional(),
      /** The newest notes of the memory; absent if they could not be read. */
      notes: z.array(MemoryNote.pick({ noteId: true, createdAt: true, text: true })).optional(),
      olderNotes: z.int().min(0),
      ...ofRun,
    }),
    event('compacted', {
      /** In the context of the model the summary replaces everything up to here. */
      upToSeq: Seq,
      summary: z.string(),
      tokensBefore: z.int().min(0),
      ...ofRun,
    }),
    event('note', { text: z.string(), code: z.string(), ...ofRun }),
    event('usage_reported', {
      provider: z.string().optional(),
      model: z.string().optional(),
      usage: Usage,
      ...ofRun,
    }),
    /** The usage of memory upkeep: not part of a run, although a run was its occasion. */
    event('upkeep_reported', {
      upkeep: z.enum(['extraction', 'dream']),
      runId: RunId,
      provider: z.string().optional(),
      model: z.string().optional(),
      usage: Usage,
    }),
    event('output_emitted', { items: z.array(StoredItem), ...ofRun }),
    event('publishing', { ...ofRun }),
    event('completed', { output: z.array(StoredItem), ...ofRun }),
    event('cancelled', { reason: CancelReason, ...ofRun }),
    event('failed', { failure: RunFailure, ...ofRun }),
    event('interrupted', { reason: z.string(), ...ofRun }),

    event('schedule_created', {
      scheduleId: ScheduleId,
      title: z.string(),
      cadence: Cadence,
      overlap: Overlap,
      misfire: Misfire,
      inputItems: z.array(StoredItem),
      maxFires: z.int().optional(),
      nextFireAt: EpochMs.optional(),
      channelId: ChannelId.optional(),
      threadRootMessageId: MessageId.optional(),
      createdByRunId: RunId.optional(),
      ceiling: Ceiling.optional(),
    }),
    event('schedule_changed', {
      scheduleId: ScheduleId,
      status: ScheduleStatus,
      nextFireAt: EpochMs.optional(),
    }),
    /** `missed` counts the earlier times at which no daemon was running. */
    event('schedule_fired', {
      scheduleId: ScheduleId,
      dueAt: EpochMs,
      runId: RunId,
      missed: z.int().min(0),
    }),
    event('schedule_skipped', { scheduleId: ScheduleId, dueAt: EpochMs, reason: z.string() }),
    event('background_task_created', { task: TaskEntry }),
    event('background_task_changed', { taskId: TaskId, change: TaskChange }),
    event('background_task_ended', {
      taskId: TaskId,
      status: TaskEntry.shape.status,
      end: TaskEnd,
      detail: Metadata.optional(),
      /** The inbox item of the same commit that reports the end. */
      noticeItemId: InboxItemId.optional(),
      /** The end is not reported yet: the inbox was full. */
      noticeDue: z.boolean().optional(),
    }),
    /** Its session ended, and another session owns it now. */
    event('background_task_handed_over', { taskId: TaskId, to: SessionId }),
    event('background_task_received', { task: TaskEntry, from: SessionId }),
    /** It ended long ago and is no longer listed. */
    event('background_task_evicted', { taskId: TaskId }),
    event('board_created', { title: Title, ...drawn }),
    event('board_revised', { title: Title.optional(), ...drawn }),
    event('board_deleted', { boardId: BoardId }),
  ]),
);
export type SessionEvent = z.infer<typeof SessionEvent>;

export const sessionTopic = defineTopic('session', SessionEvent);

/** The events in a session's journal, from which a resumed run is rebuilt. */
export const JOURNAL_EVENTS = [
  'accepted',
  'delivered',
  'started',
  'resumed',
  'model_message',
  'tool_call',
  'tool_result',
  'approval_settled',
  'context_given',
  'compacted',
  'note',
  'output_emitted',
  'session_cleared',
  ...TERMINAL_RUN_STATUSES,
] as const satisfies readonly SessionEvent['type'][];
