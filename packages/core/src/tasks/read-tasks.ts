import {
  actorIdOf,
  type Principal,
  SYSTEM,
  type Task,
  type TaskEntry,
  type TaskStatus,
} from '@stoa/protocol';
import {
  type BackgroundTaskRow,
  listBackgroundTasks,
  listTasksBelow,
  listTasksOfSession,
  type Tx,
} from '@stoa/store';
import { callerClass } from '../access/rules.js';
import { decode } from '../kernel/codec.js';
import { sessionToRead } from '../sessions/session-gate.js';
import type { TaskContext } from './context.js';
import { compareTasks, cursorOf, fromCursor } from './order.js';
import { taskRecord } from './record.js';
import { assertMayDirectTask } from './task-gate.js';
import { taskRow } from './write-task.js';

/** Who may look is asked of the tasks, not of their session. */

export interface TaskQuery {
  readonly sessionId?: string | undefined;
  readonly kind?: string | undefined;
  readonly status?: TaskStatus | undefined;
  readonly before?: string | undefined;
  readonly limit: number;
}

export interface TaskPage {
  readonly tasks: Task[];
  readonly nextBefore?: string;
}

export function readTask(context: TaskContext, by: Principal, taskId: string): Promise<Task> {
  return context.store.read(function* () {
    const waited = foregroundOf(context).find((task) => task.taskId === taskId);
    if (waited) {
      yield* assertMayDirectTask(by, waited);
      return waited;
    }
    const entry = decode((yield* taskRow(taskId)).entry);
    yield* assertMayDirectTask(by, entry);
    return yield* taskRecord(context.kinds, entry);
  });
}

export function withApprovals({ kinds, store }: TaskContext, entry: TaskEntry): Promise<Task> {
  return store.read(() => taskRecord(kinds, entry));
}

/** What tool calls wait for that has no entry. */
export function foregroundOf({ executors }: TaskContext): Task[] {
  return executors.all().flatMap((executor) => executor.foreground?.() ?? []);
}

/** People see those of their sessions, the owner all; a session its own and those below it. */
export function listTasks(
  context: TaskContext,
  by: Principal,
  query: TaskQuery,
): Promise<TaskPage> {
  return context.store.read(function* () {
    const { limit, before } = query;
    const rows = yield* rowsOf(by, query);
    const found: Task[] = [];
    for (const row of rows) {
      found.push(yield* taskRecord(context.kinds, decode(row.entry)));
    }
    // What is waited for has no place that could be gone on from: it stands on the first page.
    const waited = before === undefined ? yield* waitedFor(context, by, query, found) : [];
    const tasks = [...waited, ...found.slice(0, limit)].sort(compareTasks);
    const last = found[limit - 1];
    const isMore = found.length > limit && last !== undefined;
    return { tasks, ...(isMore ? { nextBefore: cursorOf(last) } : {}) };
  });
}

function* rowsOf(by: Principal, query: TaskQuery): Tx<BackgroundTaskRow[]> {
  const { sessionId, kind = null, status = null, before, limit } = query;
  const isSession = by.kind === 'session';
  const isAll = callerClass(by) === 'admin' || isSession;
  const filter = {
    kind,
    status,
    responsibleId: isAll ? null : actorIdOf(by),
    ...fromCursor(before),
    limit: limit + 1,
  };
  if (sessionId !== undefined) {
    const session = yield* sessionToRead(SYSTEM, sessionId);
    yield* assertMayDirectTask(by, session);
    return yield* listTasksOfSession.all({ ...filter, topicId: session.topicId });
  }
  if (isSession) return yield* listTasksBelow.all({ ...filter, sessionId: by.id });
  return yield* listBackgroundTasks.all(filter);
}

function* waitedFor(
  context: TaskContext,
  by: Principal,
  { sessionId, kind, status }: TaskQuery,
  found: readonly Task[],
): Tx<Task[]> {
  const shown: Task[] = [];
  for (const task of foregroundOf(context)) {
    if (sessionId !== undefined && task.sessionId !== sessionId) continue;
    if (kind !== undefined && task.kind !== kind) continue;
    if (status !== undefined && task.status !== status) continue;
    if (found.some(({ taskId }) => taskId === task.taskId)) continue;
    if (yield* mayDirect(by, task)) shown.push(task);
  }
  return shown;
}

function* mayDirect(by: Principal, task: Task): Tx<boolean> {
  try {
    yield* assertMayDirectTask(by, task);
    return true;
  } catch {
    return false;
  }
}
