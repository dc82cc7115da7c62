import {
  actorIdOf,
  LIMITS,
  type Principal,
  StoaError,
  SYSTEM,
  type Task,
  type TaskOutput,
} from '@stoa/protocol';
import { listLiveTasksOfSession } from '@stoa/store';
import { decode } from '../kernel/codec.js';
import { sessionToRead } from '../sessions/session-gate.js';
import { changeTask } from './change-task.js';
import type { TaskContext } from './context.js';
import type { TaskExecutor } from './kind.js';
import { isEnded } from './lifecycle.js';
import { foregroundOf, readTask, taskRecord } from './read-tasks.js';
import { assertMayDirectTask } from './task-gate.js';

/** How often a reader that waits checks for output. */
const POLL_MS = 100;

/** Sends a message to a task. Throws `task_takes_no_message` with the reason. */
export async function sendToTask(
  context: TaskContext,
  by: Principal,
  taskId: string,
  text: string,
): Promise<void> {
  const task = await readTask(context, by, taskId);
  if (text.length > LIMITS.textChars) {
    const limit = String(LIMITS.textChars);
    throw new StoaError('invalid_request', `A message has at most ${limit} characters`);
  }
  const kind = context.kinds.find(task.kind);
  const executor = executorHere(context, task);
  const hasEnded = isEnded(task.status) && !(task.status === 'completed' && kind?.canRevive);
  const why =
    task.stopping !== undefined
      ? 'it is being stopped'
      : hasEnded
        ? `it has ended: ${task.status}`
        : !kind || !executor?.send
          ? `a ${task.kind} takes none`
          : kind.refusesMessage(task);
  if (why !== undefined || !executor?.send) {
    throw takesNoMessage(task, why ?? '');
  }
  await executor.send(task, { text, from: actorIdOf(by) });
}

/** The error names the task by its description, which its reader knows better than the id. */
export function takesNoMessage(
  { description, taskId }: Pick<Task, 'description' | 'taskId'>,
  why: string,
): StoaError {
  const name = description === '' ? taskId : `“${description}”`;
  return new StoaError('task_takes_no_message', `${name} takes no message: ${why}`);
}

/** Reads output from an offset on. If there is none yet, waits for some or for the end of the task. */
export async function readOutput(
  context: TaskContext,
  by: Principal,
  taskId: string,
  { offset, limit, waitMs = 0 }: { offset: number; limit: number; waitMs?: number | undefined },
): Promise<TaskOutput> {
  for (let waited = 0; ; waited += POLL_MS) {
    // Read the status first: the output that is read after the end is complete.
    const task = await readTask(context, by, taskId);
    const part = await executorHere(context, task)?.read?.(task, { offset, limit });
    const hasEnded = isEnded(task.status);
    if (!part) {
      const why = hasEnded ? ': it has none, or it was removed' : '';
      throw new StoaError('task_without_output', `${taskId} has no output to read${why}`);
    }
    if (part.nextOffset > part.offset || hasEnded || waited >= waitMs) {
      return { ...part, isComplete: hasEnded && part.nextOffset >= part.size };
    }
    await new Promise<void>((resolve) => {
      context.timers.after(POLL_MS, resolve);
    });
  }
}

/** Promotes the named task that a tool call waits for, or the only one there is, to the background. */
export async function promoteTask(
  context: TaskContext,
  by: Principal,
  sessionId: string,
  taskId?: string,
): Promise<string> {
  const foreground = await context.store.read(function* () {
    const session = yield* sessionToRead(SYSTEM, sessionId);
    yield* assertMayDirectTask(by, session);
    const own: Task[] = foregroundOf(context).filter((task) => task.sessionId === sessionId);
    for (const row of yield* listLiveTasksOfSession.all(session)) {
      const entry = decode(row.entry);
      if (entry.isForeground) own.push(yield* taskRecord(context.kinds, entry));
    }
    return own;
  });
  const matching =
    taskId === undefined ? foreground : foreground.filter((task) => task.taskId === taskId);
  const [task] = matching;
  if (!task) {
    const what = taskId === undefined ? 'nothing' : `no ${taskId}`;
    throw new StoaError('task_not_foreground', `Tool calls of ${sessionId} wait for ${what}`);
  }
  if (matching.length > 1) {
    const ids = matching.map((one) => `${one.taskId} (${one.description})`).join(', ');
    throw new StoaError('task_ambiguous', `Name the one to send to the background: ${ids}`);
  }
  const executor = executorHere(context, task);
  if (executor?.promote) await executor.promote(task);
  else await changeTask(context, task.taskId, { isForeground: false });
  return task.taskId;
}

/** Throws `task_elsewhere` if another daemon runs the task. */
export function executorHere(context: TaskContext, task: Task): TaskExecutor | undefined {
  if (task.location === context.location) return context.executors.get(task.kind);
  throw new StoaError('task_elsewhere', `${task.taskId} runs under the daemon of ${task.location}`);
}
