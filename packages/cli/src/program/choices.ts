/**
 * Words that an option takes. They are those of the contract, whose schemas would take longer to load
 * than most commands run; a test holds the two together.
 */
export const MODES = ['plan', 'ask', 'auto-edit', 'full'] as const;
export const RULES = ['followup', 'collect', 'steer', 'inject', 'interrupt'] as const;
export const REACHES = ['session', 'workspace'] as const;
export const GROUPINGS = ['run', 'session', 'channel', 'day', 'model'] as const;
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
