/**
 * The enumerations of the contract, without schemas: programs that must start fast or stay small, such as commands
 * and browsers, use these arrays; the schemas of the records are built on them.
 */

export const PERMISSION_MODES = ['plan', 'ask', 'auto-edit', 'full'] as const;
export const ACP_PRESETS = ['qwen', 'claude', 'codex', 'gemini', 'opencode'] as const;
export const AGENT_SOURCES = ['builtin', 'file', 'api'] as const;

/** A run never leaves these. Each is also the type of the event that ends the run. */
export const TERMINAL_RUN_STATUSES = ['completed', 'failed', 'cancelled', 'interrupted'] as const;
export const RUN_STATUSES = [
  'queued',
  'running',
  'waiting_approval',
  'waiting_answer',
  ...TERMINAL_RUN_STATUSES,
] as const;
export type TerminalRunStatus = (typeof TERMINAL_RUN_STATUSES)[number];
export const isTerminalRunStatus = (status: string): status is TerminalRunStatus =>
  isOneOf(TERMINAL_RUN_STATUSES, status);
export const CANCEL_REASONS = [
  'cancel_command',
  'clear',
  'steer',
  'timeout',
  'dropped',
  'superseded',
] as const;
export const FAILURE_PHASES = ['start', 'agent', 'tool', 'delivery'] as const;

export const WORK_KINDS = [
  'input',
  'channel_delivery',
  'mailbox_delivery',
  'task_notice',
  'team_task',
  'schedule',
  'resume',
  'system',
] as const;
export const DISPATCH_RULES = ['followup', 'collect', 'steer', 'inject', 'interrupt'] as const;

export const INBOX_ITEM_STATES = ['waiting', 'delivered', 'dropped', 'dead_letter'] as const;
export const DELIVERY_WAYS = ['start', 'collect', 'inject'] as const;

export const OVERLAPS = ['skip', 'queue_one', 'parallel'] as const;
export const MISFIRES = ['coalesce_once', 'skip_missed'] as const;
export const SCHEDULE_STATUSES = ['active', 'paused', 'ended'] as const;

export const APPROVAL_KINDS = ['tool', 'question'] as const;
export const APPROVAL_STATES = [
  'pending',
  'allowed',
  'denied',
  'answered',
  'expired',
  'withdrawn',
] as const;
/** The scopes of an answer that also applies to later calls. */
export const LASTING_APPROVAL_SCOPES = ['session', 'workspace'] as const;
export const APPROVAL_SCOPES = ['once', ...LASTING_APPROVAL_SCOPES] as const;

export const TOOL_OUTCOMES = ['ok', 'error', 'denied', 'cancelled', 'unknown'] as const;
export const TOOL_KINDS = [
  'read',
  'edit',
  'search',
  'execute',
  'fetch',
  'ask',
  'speak',
  'other',
] as const;

/** A background task never leaves these. */
export const TERMINAL_TASK_STATUSES = ['completed', 'failed', 'cancelled', 'lost'] as const;
export const TASK_STATUSES = ['queued', 'running', 'paused', ...TERMINAL_TASK_STATUSES] as const;
export const isTerminalTaskStatus = (
  status: string,
): status is (typeof TERMINAL_TASK_STATUSES)[number] => isOneOf(TERMINAL_TASK_STATUSES, status);
export const TASK_NOTICES = ['none', 'due', 'sent'] as const;

export const USAGE_GROUPINGS = ['run', 'session', 'agent', 'channel', 'day', 'model'] as const;

export const MEMBER_KINDS = ['human_actor', 'session'] as const;
export const DISPLAY_NAME_MODES = ['manual', 'follow_agent'] as const;

export const AUTHOR_KINDS = ['human', 'agent', 'system'] as const;

export const PARTICIPATION_MODES = [
  'manual_only',
  'selected_only',
  'prefer_selected',
  'always_listen',
] as const;

export const LEASE_OUTCOMES = [
  'spoke',
  'reacted',
  'abstained',
  /** Its answer could not be published, for example because it is no longer a member. */
  'unpublished',
  'failed',
  'interrupted',
  'cancelled',
  'budget',
  'timeout',
  'superseded',
  'unclaimed',
] as const;
export const LEASE_PHASES = ['granted', 'running', 'waiting', 'ended'] as const;
export const TURN_OUTCOMES = [
  'answered',
  'silent',
  'reply_budget',
  'run_budget',
  'token_budget',
  'cancelled',
] as const;
export const CANDIDATE_REASONS = [
  'addressed',
  'called',
  'last_in_thread',
  'expertise',
  'last_in_channel',
  'member',
  'speaking',
  'muted',
  'manual_only',
  'others_selected',
  'served',
  'cooling_down',
  'session_ended',
  'inbox_full',
  'sender',
] as const;

export const STIMULUS_SCOPES = ['channel', 'thread'] as const;
export const VISIBILITY_HINTS = ['auto', 'main', 'thread'] as const;
export const STIMULUS_STATES = [
  'pending',
  'claimed',
  'dispatched',
  'coalesced',
  'superseded',
  'cancelled',
  'dead_letter',
] as const;
export const STIMULUS_REASONS = [
  'cancelled',
  'expired',
  'no_thread',
  'not_member',
  'active_root_limit',
  'hourly_root_limit',
  'superseded',
  'coalesced',
  'quiet_period',
  'thread_busy',
  'paused',
  'failed',
] as const;
export const STIMULUS_KINDS = [
  'agent_idea',
  'schedule_fire',
  'schedule_result',
  'task_completed',
  'review_completed',
  'sidechain_milestone',
  'observation_materialized',
  'thread_idle_followup',
  'result_summary',
  'supersession_notice',
] as const;

export const WORK_TOPICS = ['human', 'autonomous_root', 'summary'] as const;
export const WORK_STATUSES = [
  'proposed',
  'active',
  'reviewing',
  'completed',
  'superseded',
] as const;
export const BINDING_KINDS = ['schedule', 'run', 'sidechain_agent', 'task', 'observation'] as const;
export const REVIEW_VERDICTS = ['approved', 'changes_requested', 'rejected'] as const;
export const WORK_CAUSES = ['stimulus', 'binding', 'person', 'recovery'] as const;

export const MEMORY_PARTS = ['shared', 'isolated'] as const;
export const DREAM_GATES = [
  'disabled',
  'no_model',
  'too_soon',
  'scanned_lately',
  'too_few_sessions',
  'under_way',
  'not_started',
] as const;

export const MEMORY_SCOPE_MODES = ['metadata-only', 'isolated'] as const;

export const PROJECT_STATUSES = ['active', 'paused', 'completed', 'archived'] as const;
export const PROJECT_TASK_STATUSES = ['open', 'in_progress', 'completed', 'cancelled'] as const;

export const MCP_SERVER_STATES = ['idle', 'connecting', 'online', 'offline'] as const;

export const HUMAN_ROLES = ['owner', 'member'] as const;

export const CREDENTIAL_KINDS = ['owner_token', 'human_token', 'browser'] as const;

export const DURABILITIES = ['full', 'relaxed'] as const;
export const ENGINE_KINDS = ['sqlite', 'postgres'] as const;

/** Whether a list includes archived or ended records. */
export const INCLUSIONS = ['exclude', 'include', 'only'] as const;

/** The types of frames on a live stream; `StreamFrame` defines their fields. */
export const STREAM_FRAME_TYPES = [
  'subscribed',
  'event',
  'gap',
  'text_chunk',
  'draft',
  'draft_ended',
  'unsubscribed',
  'error',
  'closing',
] as const;
export const GAP_REASONS = ['trimmed', 'ahead', 'slow_reader'] as const;
export const CLOSING_REASONS = ['shutdown', 'revoked', 'slow_reader', 'unavailable'] as const;

function isOneOf<const W extends string>(words: readonly W[], word: string): word is W {
  return (words as readonly string[]).includes(word);
}
