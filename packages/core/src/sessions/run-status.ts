import type { RunStatus } from '@stoa/protocol';

const WAITING: readonly RunStatus[] = [
  'running',
  'waiting_approval',
  'waiting_answer',
  'failed',
  'cancelled',
  'interrupted',
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
  running: [
    'running',
    'waiting_approval',
    'waiting_answer',
    'completed',
    'failed',
    'cancelled',
    'interrupted',
  ],
  waiting_approval: WAITING,
  waiting_answer: WAITING,
  completed: [],
  failed: [],
  cancelled: [],
  interrupted: [],
};

export const mayBecome = (from: RunStatus, to: RunStatus): boolean => NEXT[from].includes(to);

export const isTerminal = (status: RunStatus): boolean => NEXT[status].length === 0;
