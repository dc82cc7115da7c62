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
  countPendingApprovals,
  listBackgroundTasks,
  listTasksBelow,
  listTasksOfSession,
  type Tx,
} from '@stoa/store';
import { callerClass } from '../access/rules.js';
import { decode } from '../kernel/codec.js';
import { sessionToRead } from '../sessions/session-gate.js';
import type { TaskContext } from './context.js';
import type { TaskKinds } from './kinds.js';
import { isEnded } from './lifecycle.js';
import { assertMayDirectTask } from './task-gate.js';
import { taskRow } from './write-task.js';

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
    const foreground = foregroundOf(context).find((task) => task.taskId === taskId);
    if (foreground) {
      yield* assertMayDirectTask(by, foreground);
      return foreground;
    }
    const entry = decode((yield* taskRow(taskId)).entry);
    yield* assertMayDirectTask(by, entry);
    return yield* taskRecord(context.kinds, entry);
  });
}

/** An entry with the number of approvals that its session waits for. */
export function* taskRecord(kinds: TaskKinds, entry: TaskEntry): Tx<Task> {
  const sessionId = isEnded(entry.status) ? undefined : kinds.find(entry.kind)?.worksIn?.(entry);
  const pending = sessionId && (yield* countPendingApprovals.first({ sessionId }));
  return { ...entry, pendingApprovals: pending ? pending.count : 0 };
}

export function withApprovals({ kinds, store }: TaskContext, entry: TaskEntry): Promise<Task> {
  return store.read(() => taskRecord(kinds, entry));
}

/** Tasks that tool calls wait for and that have no entry. */
export function foregroundOf({ executors }: TaskContext): Task[] {
  return executors.all().flatMap((executor) => executor.foreground?.() ?? []);
}

/** People see the tasks of their sessions, the owner sees all, a session its own and those of sessions below it. */
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
    // Foreground tasks have no cursor, so they are all on the first page.
    const foreground = before === undefined ? yield* foregroundFor(context, by, query, found) : [];
    const tasks = [...foreground, ...found.slice(0, limit)].sort(compareTasks);
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

function* foregroundFor(
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

/** The order of the list: first tasks that go on, by newest start, then tasks that ended, by newest end. */
interface OrderKey {
  readonly isEnded: number;
  readonly sortAt: number;
  readonly taskId: string;
}

function orderOf(
  task: Pick<Task, 'status' | 'startedAt' | 'createdAt' | 'endedAt' | 'taskId'>,
): OrderKey {
  const hasEnded = isEnded(task.status);
  const sortAt = hasEnded ? (task.endedAt ?? 0) : (task.startedAt ?? task.createdAt);
  return { isEnded: hasEnded ? 1 : 0, sortAt, taskId: task.taskId };
}

function compareTasks(left: Task, right: Task): number {
  const a = orderOf(left);
  const b = orderOf(right);
  if (a.isEnded !== b.isEnded) return a.isEnded - b.isEnded;
  if (a.sortAt !== b.sortAt) return b.sortAt - a.sortAt;
  return a.taskId < b.taskId ? 1 : -1;
}

/** The cursor of the next page. */
const cursorOf = (task: Task): string => {
  const { isEnded: ended, sortAt, taskId } = orderOf(task);
  return `${String(ended)}.${String(sortAt)}.${taskId}`;
};

function fromCursor(cursor: string | undefined): OrderKey {
  if (cursor === undefined) return { isEnded: 0, sortAt: Number.MAX_SAFE_INTEGER, taskId: '~' };
  const [ended = '0', sortAt = '0', taskId = ''] = cursor.split('.');
  return { isEnded: Number(ended), sortAt: Number(sortAt), taskId };
}
