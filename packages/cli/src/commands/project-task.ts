import type { ProjectTask, ProjectTaskStatus } from '@stoa/protocol';
import type { Context, GlobalFlags } from '../context.js';
import { UsageError } from '../failure.js';
import { block, details } from '../terminal/details.js';
import { printableLine } from '../terminal/printable.js';
import { relativeTime } from '../terminal/times.js';

export interface AddTaskOptions extends GlobalFlags {
  readonly description?: string;
  readonly assignee?: string;
  readonly blockedBy?: readonly string[];
  readonly parent?: string;
  readonly key?: string;
}

export interface ListTasksOptions extends GlobalFlags {
  readonly status?: ProjectTaskStatus;
  readonly assignee?: string;
  readonly quiet?: boolean;
}

export interface UpdateTaskOptions extends GlobalFlags {
  readonly title?: string;
  readonly description?: string;
  readonly assignee?: string;
  readonly status?: ProjectTaskStatus;
  readonly output?: string;
}

export interface StartTaskOptions extends GlobalFlags {
  readonly channel?: string;
  readonly key?: string;
  readonly revision?: number;
  readonly confirmText?: boolean;
}

export async function addTask(
  context: Context,
  [projectId = '', ...words]: readonly string[],
  { description, assignee, blockedBy, parent, key }: AddTaskOptions,
): Promise<void> {
  const task = await context.client.projects.tasks.create(
    projectId,
    {
      title: words.join(' '),
      description,
      assigneeMemberId: assignee,
      ...(blockedBy === undefined ? {} : { blockedBy: [...blockedBy] }),
      parentTaskId: parent,
    },
    { idempotencyKey: key },
  );
  context.answer(task, () => task.taskId);
}

export async function listTasks(
  context: Context,
  [projectId = '']: readonly string[],
  { status, assignee, quiet }: ListTasksOptions,
): Promise<void> {
  const tasks: ProjectTask[] = [];
  const asked = { status, assigneeMemberId: assignee, limit: 200 };
  for await (const page of context.client.projects.tasks.list.pages(projectId, asked)) {
    tasks.push(...page.tasks);
  }
  if (context.flags.json) context.json({ tasks });
  else if (quiet) for (const { taskId } of tasks) context.line(taskId);
  else if (tasks.length === 0) context.say('no tasks; add one: stoa project task add');
  else context.line(taskTable(context, tasks));
}

function taskTable(context: Context, tasks: readonly ProjectTask[]): string {
  return context.table(
    [{ title: 'TASK' }, { title: 'STATUS' }, { title: 'ASSIGNEE' }, { title: 'TITLE' }],
    tasks.map(({ taskId, status, assigneeMemberId = '', title }) => [
      taskId,
      status,
      assigneeMemberId,
      printableLine(title),
    ]),
  );
}

export async function showTask(
  context: Context,
  [projectId = '', taskId = '']: readonly string[],
): Promise<void> {
  show(context, await context.client.projects.tasks.get(projectId, taskId));
}

export async function updateTask(
  context: Context,
  [projectId = '', taskId = '']: readonly string[],
  { title, description, assignee, status, output }: UpdateTaskOptions,
): Promise<void> {
  const cleared = (text: string | undefined) => (text === '' ? null : text);
  const change = {
    title,
    description: cleared(description),
    assigneeMemberId: cleared(assignee),
    status,
    output: cleared(output),
  };
  if (Object.values(change).every((value) => value === undefined)) {
    throw new UsageError(
      'there is nothing to change',
      'give --title, --description, --assignee, --status or --output',
    );
  }
  show(context, await context.client.projects.tasks.update(projectId, taskId, change));
}

export async function startTask(
  context: Context,
  [projectId = '', taskId = '']: readonly string[],
  { channel, key, revision, confirmText }: StartTaskOptions,
): Promise<void> {
  const { tasks } = context.client.projects;
  const read = await tasks.get(projectId, taskId);
  const where = {
    channelId: channel,
    revision: revision ?? read.revision,
    ...(confirmText === true ? { confirmText } : {}),
  };
  const task = await tasks.start(projectId, taskId, where, { idempotencyKey: key });
  context.answer(task, () => task.discussion?.threadRootMessageId ?? '');
  if (!context.flags.json) {
    const { assigneeMemberId, discussion } = task;
    context.say(`${assigneeMemberId ?? ''} was asked in ${discussion?.channelId ?? ''}`);
    const { actorId } = await context.client.whoami();
    if (task.writtenBy !== actorId && confirmText !== true) {
      context.say(
        `${task.writtenBy} wrote the text, so the agent asks before it does more than read; ` +
          `--confirm-text makes it your own request`,
      );
    }
  }
}

export async function deleteTask(
  context: Context,
  [projectId = '', taskId = '']: readonly string[],
): Promise<void> {
  await context.client.projects.tasks.delete(projectId, taskId);
  context.answer({ deleted: taskId }, () => `${taskId} is deleted.`);
}

function show(context: Context, task: ProjectTask): void {
  context.answer(task, () => taskText(context, task));
}

function taskText({ paint, io }: Context, task: ProjectTask): string {
  const { discussion, output } = task;
  const record = details(paint, { title: task.title, id: task.taskId }, [
    ['description', task.description],
    ['status', task.status],
    ['assignee', task.assigneeMemberId],
    ['waits for', task.blockedBy.join(' ')],
    ['part of', task.parentTaskId],
    ['discussion', discussion && `${discussion.channelId} ${discussion.threadRootMessageId}`],
    ['run', task.latestRunId],
    ['created', `${relativeTime(task.createdAt, io.now())} by ${task.createdBy}`],
  ]);
  return output === undefined ? record : `${record}\n${block(paint, 'output', output)}`;
}
