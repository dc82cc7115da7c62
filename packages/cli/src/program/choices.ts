/**
 * Words that an option takes. They are those of the contract, whose schemas would take longer to load
 * than most commands run; a test holds the two together.
 */
export const MODES = ['plan', 'ask', 'auto-edit', 'full'] as const;
export const RULES = ['followup', 'collect', 'steer', 'inject', 'interrupt'] as const;
export const ACP_PRESETS = ['qwen', 'claude', 'codex', 'gemini', 'opencode'] as const;
export const REACHES = ['session', 'workspace'] as const;
export const GROUPINGS = ['run', 'session', 'agent', 'channel', 'day', 'model'] as const;
export const OVERLAPS = ['skip', 'queue_one', 'parallel'] as const;
export const MISFIRES = ['coalesce_once', 'skip_missed'] as const;
export const ITEM_STATES = ['waiting', 'delivered', 'dropped', 'dead_letter'] as const;
export const APPROVAL_STATES = [
  'pending',
  'allowed',
  'denied',
  'answered',
  'expired',
  'withdrawn',
] as const;
export const KINDS = [
  'input',
  'channel_delivery',
  'mailbox_delivery',
  'task_notice',
  'team_task',
  'schedule',
  'resume',
  'system',
] as const;
export const PARTICIPATION_MODES = [
  'manual_only',
  'selected_only',
  'prefer_selected',
  'always_listen',
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
export const STIMULUS_STATES = [
  'pending',
  'claimed',
  'dispatched',
  'coalesced',
  'superseded',
  'cancelled',
  'dead_letter',
] as const;
export const VISIBILITY_HINTS = ['auto', 'main', 'thread'] as const;
export const WORK_STATUSES = [
  'proposed',
  'active',
  'reviewing',
  'completed',
  'superseded',
] as const;
export const VERDICTS = ['approved', 'changes_requested', 'rejected'] as const;
export const PROJECT_STATUSES = ['active', 'paused', 'completed', 'archived'] as const;
export const TASK_STATUSES = ['open', 'in_progress', 'completed', 'cancelled'] as const;
export const BACKGROUND_STATUSES = [
  'queued',
  'running',
  'paused',
  'completed',
  'failed',
  'cancelled',
  'lost',
] as const;
/** What a policy is made of, and what to tell of it. */
export const POLICY = [
  { name: 'maxParallelPublicSpeakers', what: 'at the same time in one thread' },
  { name: 'maxAgentRepliesPerHumanMessage', what: 'of all agents together' },
  { name: 'maxStartedRunsPerHumanMessage', what: 'also those that end in silence' },
  { name: 'memberCooldownMs', what: 'before the same one speaks in a thread again' },
  { name: 'leaseTimeoutMs', what: 'then a speaker may be replaced by one who waits' },
  { name: 'claimTimeoutMs', what: 'to take up a turn that was given' },
  { name: 'silenceLimitMs', what: 'a run that does nothing for so long is cancelled' },
  { name: 'tokensPerTurn', what: 'input and output of all runs of a turn' },
  { name: 'maxPendingStimuli', what: 'that wait or are being posted' },
  { name: 'maxAgentRepliesPerStimulus', what: 'of all agents together' },
  { name: 'maxAutonomousRepliesSinceHuman', what: 'then stimuli wake nobody' },
  { name: 'maxAutonomousRootPostsPerHour', what: 'threads that stimuli begin' },
  { name: 'maxActiveAutonomousRoots', what: 'threads that stimuli began and that are at work' },
  { name: 'quietPeriodMsAfterRootPost', what: 'before a stimulus begins another thread' },
  { name: 'threadIdleFollowUpMs', what: 'then open work is asked about, once' },
] as const;
