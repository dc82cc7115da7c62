import { StoaError, type TaskChange, type TaskEntry } from '@stoa/protocol';
import type { Tx } from '@stoa/store';
import type { NewEvent } from '../kernel/log.js';
import type { TaskContext } from './context.js';
import { admitDetail, shortened } from './create-task.js';
import type { TaskKind } from './kind.js';
import { isEnded, mayBecome } from './lifecycle.js';
import { changed } from './projection.js';
import { hasFreeSlot } from './slots.js';
import { type OpenTask, taskChanged, writeTask } from './write-task.js';

/** What an executor may change while a task goes on. */
export type ExecutorChange = Pick<
  TaskChange,
  'description' | 'isForeground' | 'blockedReason' | 'outputPath' | 'detail'
> & { readonly status?: 'paused' };

export function changeTask(
  context: TaskContext,
  taskId: string,
  change: ExecutorChange,
): Promise<TaskEntry> {
  return writeTask(context, 'system', taskId, ({ session, entry }, at) => {
    const { status, ...rest } = change;
    const data: TaskChange = { ...rest };
    if (status !== undefined && mayBecome(entry.status, status, false)) data.status = status;
    if (rest.description !== undefined) data.description = shortened(rest.description);
    // In the background its end is reported by a notice.
    if (rest.isForeground === false && entry.isForeground && !isEnded(entry.status)) {
      data.notice = 'due';
    }
    const answer = changed(entry, data, at);
    const kind = context.kinds.find(entry.kind);
    if (kind && rest.detail) admitDetail(kind, answer.detail);
    return { events: [taskChanged(session, taskId, data)], answer };
  });
}

export interface Begun {
  readonly task: TaskEntry;
  /** It was not running before and is now. */
  readonly hasBegun: boolean;
  /** It did not start because no slot is free. */
  readonly isFull: boolean;
  /** It never ran before. */
  readonly isFirst: boolean;
}

/**
 * Starts a queued task, continues a paused one or revives a completed one: it is `running` if a slot is free, else `queued`.
 * A running task does not change.
 */
export function beginTask(context: TaskContext, taskId: string, actor = 'system'): Promise<Begun> {
  return writeTask(context, actor, taskId, function* (open, at) {
    const { events, ...answer } = yield* beginning(context, open, at);
    return { events, answer };
  });
}

export function* beginning(
  context: TaskContext,
  { session, entry }: OpenTask,
  at: number,
): Tx<Begun & { events: NewEvent[] }> {
  const kind = context.kinds.get(entry.kind);
  const isFirst = entry.startedAt === undefined;
  const same = { events: [], task: entry, hasBegun: false, isFull: false, isFirst };
  if (entry.status === 'running' || entry.stopping) return same;
  // The tasks of an ended session are stopped or move to another session.
  if (entry.status === 'queued' && session.endedAt !== null) return same;
  // What blocked a queued task may be gone by now: its executor checks again.
  if (entry.status !== 'queued') assertResumable(entry, kind);
  const isFree = yield* hasFreeSlot(kind, session.responsibleId);
  if (!isFree && entry.status === 'queued') return { ...same, isFull: true };
  if (!isFree && kind.whenFull === 'refuse') {
    throw new StoaError(
      'too_many_tasks',
      `${String(kind.atOnce)} of kind ${kind.kind} run already`,
    );
  }
  const change: TaskChange = {
    status: isFree ? 'running' : 'queued',
    ...(isFree && entry.blockedReason !== undefined ? { blockedReason: null } : {}),
    ...(isFree && entry.startedAt === undefined ? { startedAt: at } : {}),
    // A revived task ends again, with a notice: no tool call waits for it.
    ...(isEnded(entry.status) ? { notice: 'due', isForeground: false } : {}),
  };
  const events = [taskChanged(session, entry.taskId, change)];
  const task = changed(entry, change, at);
  return { events, task, hasBegun: isFree, isFull: !isFree, isFirst };
}

/** Throws `task_not_resumable`, with the reason. */
export function assertResumable(task: TaskEntry, kind: TaskKind): void {
  const { taskId, status, blockedReason } = task;
  const why = mayBecome(status, 'running', kind.canRevive)
    ? blockedReason
    : `it is ${status}${isEnded(status) ? ' for good' : ' already'}`;
  if (why === undefined) return;
  throw new StoaError('task_not_resumable', `${taskId} cannot be resumed: ${why}`);
}
