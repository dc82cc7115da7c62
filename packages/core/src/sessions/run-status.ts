import type { RunStatus } from '@stoa/protocol';

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
  waiting_approval: [
    'running',
    'waiting_approval',
    'waiting_answer',
    'completed',
    'failed',
    'cancelled',
    'interrupted',
  ],
  waiting_answer: [
    'running',
    'waiting_approval',
    'waiting_answer',
    'completed',
    'failed',
    'cancelled',
    'interrupted',
  ],
  completed: [],
  failed: [],
  cancelled: [],
  interrupted: [],
};

export const mayBecome = (from: RunStatus, to: RunStatus): boolean => NEXT[from].includes(to);

export const isTerminal = (status: RunStatus): boolean => NEXT[status].length === 0;
