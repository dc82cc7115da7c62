import { StoaError, type TaskChange, type TaskEntry } from '@stoa/protocol';
import type { TaskContext } from './context.js';
import { admitDetail, shortened } from './create-task.js';
import { isEnded, mayBecome } from './lifecycle.js';
import { hasPlace } from './places.js';
import { changed } from './projection.js';
import { taskChanged, writeTask } from './write-task.js';

/** What an executor may say of a task that goes on. It begins again by `begin`, and ends by `settle`. */
export type ExecutorChange = Pick<
  TaskChange,
  'description' | 'isForeground' | 'blockedReason' | 'outputPath' | 'detail'
> & { readonly status?: 'paused' };

export function changeTask(
  context: TaskContext,
  taskId: string,
  change: ExecutorChange,
): Promise<TaskEntry> {
  return writeTask(context, 'system', taskId, function* ({ session, entry }, at) {
    const { status, ...rest } = change;
    const data: TaskChange = { ...rest };
    if (status !== undefined && mayBecome(entry.status, status, false)) data.status = status;
    if (rest.description !== undefined) data.description = shortened(rest.description);
    // From now on its session has to hear of its end.
    if (rest.isForeground === false && entry.isForeground && !isEnded(entry.status)) {
      data.notice = 'due';
    }
    const answer = changed(entry, data, at);
    const kind = context.kinds.find(entry.kind);
    if (kind && rest.detail) admitDetail(kind, answer.detail);
    return { events: [taskChanged(session, taskId, data)], answer };
  });
}

/**
 * Lets one begin that waits, is paused or is to be revived. It is `running` after this if there is a place
 * for it, else `queued`. One that runs is left as it is.
 */
export function beginTask(
  context: TaskContext,
  taskId: string,
  actor = 'system',
): Promise<{ task: TaskEntry; hasBegun: boolean }> {
  return writeTask(context, actor, taskId, function* ({ session, entry }, at) {
    const kind = context.kinds.get(entry.kind);
    const same = { events: [], answer: { task: entry, hasBegun: false } };
    if (entry.status === 'running') return same;
    if (!mayBecome(entry.status, 'running', kind.canRevive)) {
      throw new StoaError('task_not_resumable', `${taskId} is ${entry.status}`);
    }
    const isFree = yield* hasPlace(kind, session.responsibleId);
    if (!isFree && entry.status === 'queued') return same;
    if (!isFree && kind.whenFull === 'refuse') {
      throw new StoaError(
        'too_many_tasks',
        `${String(kind.atOnce)} of kind ${kind.kind} run already`,
      );
    }
    const change: TaskChange = {
      status: isFree ? 'running' : 'queued',
      ...(isFree && entry.startedAt === undefined ? { startedAt: at } : {}),
      blockedReason: null,
      // A new end is told again.
      ...(isEnded(entry.status) && !entry.isForeground ? { notice: 'due' } : {}),
    };
    const answer = { task: changed(entry, change, at), hasBegun: isFree };
    return { events: [taskChanged(session, taskId, change)], answer };
  });
}
