import { pillLabel, taskRow } from '@stoa/client';
import type { Approval, Task } from '@stoa/protocol';
import { TERMINAL_RUN_STATUSES } from '@stoa/protocol/constants';
import type { Context } from '../context.js';
import { connectionNotices } from '../terminal/connection-notices.js';
import { printableLine } from '../terminal/printable.js';
import { TaskApprovals } from './task-approvals.js';
import { WaitView } from './wait-view.js';

const MANY = 200;
/** After these there may be nothing left to wait for. */
const ENDS: ReadonlySet<string> = new Set([
  'background_task_ended',
  'background_task_handed_over',
  'background_task_changed',
  ...TERMINAL_RUN_STATUSES,
  'session_ended',
  'gap',
]);

/** What a run left behind: what goes on, and what went wrong while it was waited for. */
export interface TasksLeft {
  readonly live: readonly Task[];
  readonly failed: readonly Task[];
  /** Runs that handled a notice and did not complete. */
  readonly failedRuns?: readonly string[];
  /** False when the session was left at work, though it may be no task that goes on. */
  readonly isAtRest?: boolean;
  /** What nobody waits for any longer. */
  readonly givenUp?: readonly Approval[] | undefined;
}

/** What of a session goes on in the background. A paused one waits for a person and counts as at rest. */
export async function liveTasksOf(context: Context, sessionId: string): Promise<Task[]> {
  return (await tasksOf(context, sessionId)).filter(isLive);
}

const isLive = ({ status }: Task): boolean => status === 'running' || status === 'queued';

async function tasksOf(context: Context, sessionId: string): Promise<readonly Task[]> {
  return (await context.client.tasks.list({ sessionId, limit: MANY })).tasks;
}

export function sayTasksGoOn(context: Context, sessionId: string, live: readonly Task[]): void {
  context.say(`still running in the background: ${pillLabel(live) ?? 'something'}`);
  for (const task of live) {
    const { title, status } = taskRow(task, context.io.now());
    context.say(`  ${task.taskId} ${printableLine(title)} (${status})`);
  }
  context.say(`see them with: stoa tasks --session ${sessionId}; --wait tasks waits for them`);
}

/** Why a run that went well does not end well. */
export function sayWhatFailed(context: Context, { failed, failedRuns = [] }: TasksLeft): void {
  for (const task of failed) {
    const { title, status } = taskRow(task, context.io.now());
    context.say(`${task.taskId} ${printableLine(title)}: ${status}`);
  }
  for (const runId of failedRuns)
    context.say(`${runId}, which handled the end of a task, did not complete`);
}

export interface WaitOptions {
  /** When that was begun which is waited for. */
  readonly since: number;
  /** The last shown sequence: tasks may have ended before the run did. */
  readonly after: number;
  /** How long an approval may stay open; `false`: not at all, undefined: until it is settled. */
  readonly wait: number | false | undefined;
}

/**
 * Waits until a session is idle: no task is live, and no run handles the end of one.
 * Resolves early with what goes on when the person at the terminal leaves, or when an approval is open that
 * nobody is to wait for (any longer). What was begun since then and failed is named too.
 */
export async function waitForTasks(
  context: Context,
  sessionId: string,
  { since, after, wait }: WaitOptions,
): Promise<TasksLeft> {
  const left = new AbortController();
  const forget = context.io.onInterrupt(() => left.abort());
  const view = new WaitView(context, wait, () => left.abort());
  const look = async () => {
    // In this order: the commit that ends a task also creates the run that handles its notice.
    const tasks = await tasksOf(context, sessionId);
    const { status, queuedRuns, headSeq } = await context.client.sessions.get(sessionId);
    const live = tasks.filter(isLive);
    const failed = tasks.filter(
      (task) => task.createdAt >= since && (task.status === 'failed' || task.status === 'lost'),
    );
    const isIdle = status === 'ended' || (status === 'idle' && queuedRuns === 0);
    return { live, failed, restsAt: isIdle && live.length === 0 ? headSeq : undefined };
  };
  try {
    const first = await look();
    let { restsAt } = first;
    if (restsAt !== undefined && restsAt <= after) return first;
    if (!context.flags.json) context.say(`waiting for ${pillLabel(first.live) ?? 'its last run'}`);
    void new TaskApprovals(context, view.approvals).pollUntil(left.signal, sessionId, (id) =>
      liveTasksOf(context, id),
    );
    const items = context.client.follow(`session:${sessionId}`, {
      after,
      signal: left.signal,
      onNotice: connectionNotices(context),
    });
    for await (const item of items) {
      view.take(item);
      if (ENDS.has(item.type)) ({ restsAt } = await look());
      if (restsAt !== undefined && 'seq' in item && item.seq >= restsAt) break;
    }
    const { live, failed, ...last } = await look();
    const isAtRest = last.restsAt !== undefined;
    return { live, failed, isAtRest, failedRuns: view.failedRuns, givenUp: view.givenUp };
  } finally {
    forget();
    left.abort();
    view.close();
  }
}
