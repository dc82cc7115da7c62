import type { Metadata, SessionEvent, TaskEnd, TaskEntry, TaskStatus } from '@stoa/protocol';
import { countEndedTasks, listTasksToEvict, type Tx } from '@stoa/store';
import { decode } from '../kernel/codec.js';
import type { NewEvent } from '../kernel/log.js';
import { inSession } from '../sessions/run-facts.js';
import type { OpenSession } from '../sessions/session-gate.js';
import type { TaskContext } from './context.js';
import { isEnded, mayBecome } from './lifecycle.js';
import { goesAlong, tellOwner } from './notice.js';
import { endText, noticeText, TURN_FOLLOWS } from './notice-text.js';
import { ended } from './projection.js';
import { tellItsThread } from './thread-news.js';
import { type OpenTask, writeTask } from './write-task.js';

/** How a task ended, as its executor says. */
export interface Settlement {
  readonly status: Extract<TaskStatus, 'completed' | 'failed' | 'cancelled' | 'lost'>;
  readonly end: TaskEnd;
  readonly detail?: Metadata | undefined;
  /** The last of what it put out, for the one who is told. */
  readonly tail?: string | undefined;
  /** The tool that answers for it is the notice: nothing goes to the inbox. */
  readonly isTold?: boolean | undefined;
}

interface Settled {
  readonly task: TaskEntry;
  /** Those that are not listed any more. */
  readonly evicted: readonly TaskEntry[];
}

/** Ends a task, tells its session and its thread, and lets go of the oldest of those that ended: one commit. */
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

/** What is kept of tasks that are not listed any more can go. */
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
  { status, end, detail, tail, isTold = false }: Settlement,
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
  const inThread = yield* threadNews(context, entry, task, at);
  let { sessionId } = entry;
  if (entry.notice === 'due' && !isTold) {
    const words = kind?.notice?.(task, tail) ?? noticeText(task, tail);
    const hasTurn = inThread.length > 0 && session.endedAt === null;
    const text = hasTurn ? `${words}\n${TURN_FOLLOWS}` : words;
    const told = yield* tellOwner(context, session, task, text);
    if (told === 'full') data.noticeDue = true;
    else if (told) {
      data.noticeItemId = told.itemId;
      ({ sessionId } = told.listener);
      events.push(...goesAlong(session, told, ended(entry, data, at)), ...told.events);
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

/** The thread shows the end of a task, unless somebody stopped it or a call waited for it. */
function* threadNews(
  context: TaskContext,
  { isForeground, stopping }: TaskEntry,
  task: TaskEntry,
  at: number,
): Tx<NewEvent[]> {
  if (task.status === 'cancelled' || isForeground || stopping !== undefined) return [];
  const content = `The background task “${task.description}” ${endText(task)}.`;
  return yield* tellItsThread(context, task, 'task_completed', content, at);
}

/** Those that have to go for one more that has ended. */
function* toEvict({ topicId }: OpenSession, kind: string, keeps: number): Tx<TaskEntry[]> {
  const before = (yield* countEndedTasks.first({ topicId, kind }))?.count ?? 0;
  const excess = before + 1 - keeps;
  if (excess <= 0) return [];
  const rows = yield* listTasksToEvict.all({ topicId, kind, limit: excess });
  return rows.map(({ entry }) => decode(entry));
}
