import { type RunStatus, TERMINAL_RUN_STATUSES } from '@stoa/protocol';

const ACTIVE_NEXT: readonly RunStatus[] = [
  'running',
  'waiting_approval',
  'waiting_answer',
  ...TERMINAL_RUN_STATUSES,
];

/**
 *   queued ──▶ running ◀──▶ waiting_approval, waiting_answer
 *     │           │                   │
 *     └───────────┴───────────────────┴──▶ completed, failed, cancelled, interrupted
 *
 * The last four are final. A run that a crash interrupted keeps its status and is resumed.
 */
const NEXT: Readonly<Record<RunStatus, readonly RunStatus[]>> = {
  queued: ['running', 'cancelled', 'failed'],
  running: ACTIVE_NEXT,
  waiting_approval: ACTIVE_NEXT,
  waiting_answer: ACTIVE_NEXT,
  completed: [],
  failed: [],
  cancelled: [],
  interrupted: [],
};

export const mayBecome = (from: RunStatus, to: RunStatus): boolean => NEXT[from].includes(to);
