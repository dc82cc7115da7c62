import { type TaskStatus, TERMINAL_TASK_STATUSES } from '@stoa/protocol';

/**
 * The life of a background task, the same for every kind.
 *
 *   queued ──a place is free──▶ running ◀───▶ paused
 *     │  ▲                        │             │ │
 *     │  └───resumed, all places taken──────────┘ │
 *     │                           ├──▶ completed ─── revived ──▶ running, queued
 *     │                           ├──▶ failed                (only kinds that can be)
 *     │                           ├──▶ lost      nobody can say what became of it
 *     └──▶ cancelled ◀────────────┴──────────────── from paused too
 *
 * `completed`, `failed`, `cancelled` and `lost` are ends: the first of them counts, whatever comes later.
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

/** It goes on no more, unless it is revived. */
export const isEnded = (status: TaskStatus): boolean => ENDED.has(status);

export function mayBecome(now: TaskStatus, next: TaskStatus, canRevive: boolean): boolean {
  if (now === 'completed' && canRevive) return next === 'running' || next === 'queued';
  return FOLLOWS[now].includes(next);
}
