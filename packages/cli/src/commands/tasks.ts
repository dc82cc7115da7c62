import { pillLabel, taskDetail, taskRow } from '@stoa/client';
import type { Task, TaskStatus } from '@stoa/protocol';
import type { Context, GlobalFlags } from '../context.js';
import { durationText } from '../durations.js';
import { UsageError } from '../failure.js';
import { details } from '../terminal/details.js';
import { printableLine } from '../terminal/printable.js';
import { inputFrom } from './message-input.js';

export interface TasksOptions extends GlobalFlags {
  readonly session?: string;
  readonly kind?: string;
  readonly status?: TaskStatus;
  readonly before?: string;
  readonly limit: number;
  readonly quiet?: boolean;
  readonly follow?: boolean;
}

/** Without an id the list; with one its detail, or what it puts out. */
export async function tasks(
  context: Context,
  [taskId]: readonly string[],
  options: TasksOptions,
): Promise<void> {
  if (taskId !== undefined) {
    if (options.follow) await (await import('./task-output.js')).followOutput(context, taskId);
    else await showTask(context, taskId);
    return;
  }
  if (options.follow) {
    throw new UsageError('--follow is for one task', 'name it: stoa tasks tsk_… --follow');
  }
  await listTasks(context, options);
}

async function listTasks(context: Context, options: TasksOptions): Promise<void> {
  const page = await context.client.tasks.list({
    sessionId: options.session,
    kind: options.kind,
    status: options.status,
    before: options.before,
    limit: options.limit,
  });
  const { tasks: found, nextBefore } = page;
  if (context.flags.json) context.json(page);
  else if (options.quiet) for (const { taskId } of found) context.line(taskId);
  else if (found.length === 0) context.say('no background tasks');
  else context.line(taskTable(context, found));
  if (context.flags.json || options.quiet || !context.io.errIsTerminal) return;
  const pill = pillLabel(found);
  if (pill !== undefined) context.say(pill);
  context.more(nextBefore);
}

function taskTable(context: Context, found: readonly Task[]): string {
  const now = context.io.now();
  return context.table(
    [
      { title: 'TASK' },
      { title: 'KIND' },
      { title: 'STATUS' },
      { title: 'TIME' },
      { title: 'SESSION' },
      { title: 'WHAT' },
    ],
    found.map((task) => {
      const { taskId, kind, status, elapsedMs, title, needsApproval } = taskRow(task, now);
      return [
        taskId,
        kind,
        needsApproval ? `${status}, approval needed` : status,
        elapsedMs === undefined ? '' : durationText(elapsedMs),
        task.sessionId,
        printableLine(title),
      ];
    }),
  );
}

async function showTask(context: Context, taskId: string): Promise<void> {
  const task = await context.client.tasks.get(taskId);
  context.answer(task, () => taskText(context, task));
}

function taskText({ paint, io }: Context, task: Task): string {
  const { row, lines, warnings } = taskDetail(task, io.now());
  const since = task.endedAt === undefined ? 'for' : 'after';
  const took = row.elapsedMs === undefined ? '' : ` ${since} ${durationText(row.elapsedMs)}`;
  return [
    details(paint, { title: row.title, id: task.taskId }, [
      ['kind', row.kind],
      ['status', `${row.status}${took}`],
      ['approvals', task.pendingApprovals > 0 ? `${task.pendingApprovals} pending` : undefined],
      ...lines,
    ]),
    ...warnings.map((warning) => paint.yellow(`  warning: ${printableLine(warning)}`)),
  ].join('\n');
}

/** A task, or everything of a session. */
export async function stopTask(context: Context, [id = '']: readonly string[]): Promise<void> {
  const { tasks: api } = context.client;
  if (!id.startsWith('ses_')) {
    report(context, await api.stop(id));
    return;
  }
  const answer = await api.stopAll(id);
  context.answer(answer, () =>
    answer.tasks.length === 0
      ? `${id} has no running tasks.`
      : answer.tasks.map((task) => ended(context, task)).join('\n'),
  );
}

export async function sendToTask(
  context: Context,
  [taskId = '', ...words]: readonly string[],
): Promise<void> {
  const task = await context.client.tasks.send(taskId, await inputFrom(context, words));
  context.answer(task, () => `${taskId} received it.`);
}

/** A task, or the only thing that a session waits for. */
export async function promoteTask(context: Context, [id = '']: readonly string[]): Promise<void> {
  const { tasks: api } = context.client;
  const task = await (id.startsWith('ses_') ? api.promoteOnly(id) : api.promote(id));
  context.answer(task, () => `${task.taskId} continues in the background.`);
}

export async function resumeTask(
  context: Context,
  [taskId = '']: readonly string[],
): Promise<void> {
  report(context, await context.client.tasks.resume(taskId));
}

function report(context: Context, task: Task): void {
  context.answer(task, () => ended(context, task));
}

const ended = ({ io }: Context, task: Task): string =>
  `${task.taskId} is ${taskRow(task, io.now()).status}.`;
