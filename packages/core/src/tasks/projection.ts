import type { SessionEvent, TaskChange, TaskEntry } from '@stoa/protocol';
import { deleteBackgroundTask, findTaskEntry, putBackgroundTask, type Tx } from '@stoa/store';
import { decode } from '../kernel/codec.js';
import { defined } from '../kernel/defined.js';
import type { Position } from '../kernel/entry.js';
import type { EventOf, Projections } from '../kernel/module.js';
import { isEnded } from './lifecycle.js';

type Ended = Extract<SessionEvent, { type: 'background_task_ended' }>['data'];

function* putEntry(
  position: Position,
  event: EventOf<'background_task_created' | 'background_task_received'>,
): Tx<void> {
  const { topicId } = position;
  yield* put(topicId, event.data.task);
}

function* removeEntry(
  position: Position,
  event: EventOf<'background_task_handed_over' | 'background_task_evicted'>,
): Tx<void> {
  const { topicId } = position;
  yield* deleteBackgroundTask.run({ topicId, taskId: event.data.taskId });
}

/** What events of background tasks do to their table. */
export const TASK_EVENTS: Projections = {
  background_task_created: putEntry,
  background_task_received: putEntry,
  *background_task_changed(position, event) {
    const { topicId } = position;
    const entry = yield* find(topicId, event.data.taskId);
    if (entry) yield* put(topicId, changed(entry, event.data.change, position.at));
  },
  *background_task_ended(position, event) {
    const { topicId } = position;
    const entry = yield* find(topicId, event.data.taskId);
    if (entry) yield* put(topicId, ended(entry, event.data, position.at));
  },
  background_task_handed_over: removeEntry,
  background_task_evicted: removeEntry,
};

/** An entry after a change of it. */
export function changed(entry: TaskEntry, change: TaskChange, at: number): TaskEntry {
  const { stopping, blockedReason, detail, status, ...rest } = change;
  const { stopping: oldStopping, blockedReason: oldReason, end, endedAt, ...kept } = entry;
  const now = { ...kept, ...defined(rest), updatedAt: at, status: status ?? entry.status };
  const reason = blockedReason === undefined ? oldReason : blockedReason;
  const stop = stopping === undefined ? oldStopping : stopping;
  return {
    ...now,
    // A revived task has no end.
    ...(isEnded(now.status) && end && endedAt !== undefined ? { end, endedAt } : {}),
    ...(stop ? { stopping: stop } : {}),
    ...(reason === undefined || reason === null ? {} : { blockedReason: reason }),
    detail: merged(entry.detail, detail),
  };
}

/** An entry after its end. */
export function ended(entry: TaskEntry, end: Ended, at: number): TaskEntry {
  const { stopping: _, blockedReason: __, noticeItemId: ___, ...kept } = entry;
  const { noticeItemId } = end;
  return {
    ...kept,
    status: end.status,
    end: end.end,
    endedAt: at,
    updatedAt: at,
    notice: noticeItemId !== undefined ? 'sent' : end.noticeDue === true ? 'due' : 'none',
    ...(noticeItemId === undefined ? {} : { noticeItemId }),
    detail: merged(entry.detail, end.detail),
  };
}

type Detail = TaskEntry['detail'];

/** A null removes a field. */
function merged(now: Detail, patch: Detail | undefined): Detail {
  if (!patch) return now;
  const all = Object.entries({ ...now, ...patch });
  return Object.fromEntries(all.filter(([, value]) => value !== null));
}

function* find(topicId: number, taskId: string): Tx<TaskEntry | undefined> {
  const row = yield* findTaskEntry.first({ topicId, taskId });
  return row && decode(row.entry);
}

function* put(topicId: number, entry: TaskEntry): Tx<void> {
  const { taskId, kind, status, notice, responsibleId, location } = entry;
  const hasEnded = isEnded(status);
  yield* putBackgroundTask.run({
    topicId,
    taskId,
    kind,
    status,
    isEnded: hasEnded ? 1 : 0,
    sortAt: hasEnded ? (entry.endedAt ?? entry.updatedAt) : (entry.startedAt ?? entry.createdAt),
    notice,
    noticeItemId: entry.noticeItemId ?? null,
    responsibleId,
    location,
    entry: JSON.stringify(entry),
  });
}
