import type { Metadata, SessionEvent, TaskEnd, TaskEntry, TaskStatus } from '@stoa/protocol';
import { countEndedTasks, listTasksToEvict, type Tx } from '@stoa/store';
import { decode } from '../kernel/codec.js';
import type { NewEvent } from '../kernel/log.js';
import { inSession } from '../sessions/run-facts.js';
import type { OpenSession } from '../sessions/session-gate.js';
import type { TaskContext } from './context.js';
import { isEnded, mayBecome } from './lifecycle.js';
import { moveWithNotice, sendNotice } from './notice.js';
import { endText, noticeText, TURN_FOLLOWS } from './notice-text.js';
import { ended } from './projection.js';
import { reportInTaskThread } from './task-thread.js';
import { type OpenTask, writeTask } from './write-task.js';

/** How a task ended, as its executor reports it. */
export interface Settlement {
  readonly status: Extract<TaskStatus, 'completed' | 'failed' | 'cancelled' | 'lost'>;
  readonly end: TaskEnd;
  readonly detail?: Metadata | undefined;
  /** The end of its output, for the notice. */
  readonly tail?: string | undefined;
  /** The answer of a tool reports the end; there is no notice. */
  readonly isReported?: boolean | undefined;
}

interface Settled {
  readonly task: TaskEntry;
  /** Tasks that are no longer listed. */
  readonly evicted: readonly TaskEntry[];
}

/** Ends a task, informs its session and its thread, and evicts the oldest tasks that ended, in one commit. */
export async function settleTask(
  context: TaskContext,
  taskId: string,
  settlement: Settlement,
): Promise<TaskEntry> {
  const { task, evicted } = await writeTask(context, 'system', taskId, function* (open, at) {
    const { events, ...answer } = yield* settling(context, open, settlement, at);
    return { events, answer };
  });
  forget(context, evicted);
  return task;
}

/** Lets executors remove what they keep of evicted tasks. */
export function forget({ executors, diagnose }: TaskContext, evicted: readonly TaskEntry[]): void {
  for (const entry of evicted) {
    const forgotten = executors.get(entry.kind)?.forget?.({ ...entry, pendingApprovals: 0 });
    forgotten?.catch((error: unknown) => {
      diagnose('the files of a task could not be removed', { error });
    });
  }
}

export function* settling(
  context: TaskContext,
  { session, entry }: OpenTask,
  { status, end, detail, tail, isReported = false }: Settlement,
  at: number,
): Tx<Settled & { events: NewEvent[] }> {
  const kind = context.kinds.find(entry.kind);
  if (isEnded(entry.status) || !mayBecome(entry.status, status, false)) {
    return { task: entry, evicted: [], events: [] };
  }
  const by = end.by ?? (status === 'cancelled' ? entry.stopping?.by : undefined);
  const data: Extract<SessionEvent, { type: 'background_task_ended' }>['data'] = {
    taskId: entry.taskId,
    status,
    end: by === undefined ? end : { ...end, by },
    ...(detail === undefined ? {} : { detail }),
  };
  const task = ended(entry, data, at);
  const events: NewEvent[] = [];
  const inThread = yield* threadReport(context, entry, task, at);
  let { sessionId } = entry;
  if (entry.notice === 'due' && !isReported) {
    const notice = kind?.notice?.(task, tail) ?? noticeText(task, tail);
    const getsTurn = inThread.length > 0 && session.endedAt === null;
    const text = getsTurn ? `${notice}\n${TURN_FOLLOWS}` : notice;
    const sent = yield* sendNotice(context, session, task, text);
    if (sent === 'full') data.noticeDue = true;
    else if (sent) {
      data.noticeItemId = sent.itemId;
      ({ sessionId } = sent.recipient);
      events.push(...moveWithNotice(session, sent, ended(entry, data, at)), ...sent.events);
    }
  }
  events.unshift(inSession(session, { type: 'background_task_ended', data }));
  events.push(...inThread);
  const evicted = kind ? yield* toEvict(session, kind.kind, kind.keepsFinished) : [];
  for (const { taskId } of evicted) {
    events.push(inSession(session, { type: 'background_task_evicted', data: { taskId } }));
  }
  return { task: { ...ended(entry, data, at), sessionId }, evicted, events };
}

/** The thread shows the end of a task, unless it was stopped or a call waited for it. */
function* threadReport(
  context: TaskContext,
  { isForeground, stopping }: TaskEntry,
  task: TaskEntry,
  at: number,
): Tx<NewEvent[]> {
  if (task.status === 'cancelled' || isForeground || stopping !== undefined) return [];
  const content = `The background task “${task.description}” ${endText(task)}.`;
  return yield* reportInTaskThread(context, task, 'task_completed', content, at);
}

/** The tasks to evict when one more has ended. */
function* toEvict({ topicId }: OpenSession, kind: string, keeps: number): Tx<TaskEntry[]> {
  const before = (yield* countEndedTasks.first({ topicId, kind }))?.count ?? 0;
  const excess = before + 1 - keeps;
  if (excess <= 0) return [];
  const rows = yield* listTasksToEvict.all({ topicId, kind, limit: excess });
  return rows.map(({ entry }) => decode(entry));
}
