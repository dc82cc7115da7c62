import { type TaskStatus, TERMINAL_TASK_STATUSES } from '@stoa/protocol';

/**
 * The states of a background task of every kind.
 *
 *   queued ──a slot is free──▶ running ◀───▶ paused
 *     │  ▲                        │             │ │
 *     │  └───resumed, no slot is free───────────┘ │
 *     │                           ├──▶ completed ─── revived ──▶ running, queued
 *     │                           ├──▶ failed                (if its kind allows it)
 *     │                           ├──▶ lost      its outcome is unknown
 *     └──▶ cancelled ◀────────────┴──────────────── from paused too
 *
 * `completed`, `failed`, `cancelled` and `lost` are ends. Only the first end counts.
 */
const FOLLOWS: Readonly<Record<TaskStatus, readonly TaskStatus[]>> = {
  queued: ['running', 'cancelled', 'failed', 'lost'],
  running: ['paused', 'completed', 'failed', 'cancelled', 'lost'],
  paused: ['running', 'queued', 'cancelled', 'lost'],
  completed: [],
  failed: [],
  cancelled: [],
  lost: [],
};

const ENDED: ReadonlySet<TaskStatus> = new Set(TERMINAL_TASK_STATUSES);

export const isEnded = (status: TaskStatus): boolean => ENDED.has(status);

export function mayBecome(now: TaskStatus, next: TaskStatus, canRevive: boolean): boolean {
  if (now === 'completed' && canRevive) return next === 'running' || next === 'queued';
  return FOLLOWS[now].includes(next);
}
