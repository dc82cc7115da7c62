import { type RunStatus, TERMINAL_RUN_STATUSES } from '@stoa/protocol';

const UNDER_WAY: readonly RunStatus[] = [
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
 * The last four absorb. A run that was cut off by a crash stays what it was and is taken up again.
 */
const NEXT: Readonly<Record<RunStatus, readonly RunStatus[]>> = {
  queued: ['running', 'cancelled', 'failed'],
  running: UNDER_WAY,
  waiting_approval: UNDER_WAY,
  waiting_answer: UNDER_WAY,
  completed: [],
  failed: [],
  cancelled: [],
  interrupted: [],
};

export const mayBecome = (from: RunStatus, to: RunStatus): boolean => NEXT[from].includes(to);
