import {
  actorIdOf,
  type ChannelEvent,
  type Principal,
  type ProjectEvent,
  type ProjectTask,
  projectTopic,
  type StartProjectTask,
  StoaError,
  type StoredItem,
} from '@stoa/protocol';
import {
  findMemberByActor,
  findMessageRow,
  findProjectMember,
  listProjectLinks,
  type OpenProjectRow,
  type ProjectMemberRow,
  type TaskRow,
  type Tx,
} from '@stoa/store';
import { channelToSpeakIn, type JoinedChannel } from '../channels/channel-gate.js';
import { sessionIdOf } from '../channels/member-name.js';
import { decidePost } from '../channels/post-message.js';
import { idempotency } from '../kernel/idempotency.js';
import type { Decision, NewEvent } from '../kernel/log.js';
import { inProject, type ProjectContext } from './context.js';
import { assertMayWork, existingTask, projectToChange } from './project-gate.js';
import { getTask } from './read-projects.js';
import { assertFollows, assertNotBlocked, taskOf } from './tasks.js';

type Started = Extract<ProjectEvent, { type: 'task_started' }>['data'];

/**
 * Asks the assignee to do a task: posts a message of the caller in a linked channel, addressed to the assignee, in the commit
 * that sets the task in progress. The message has the effects of every message; in addition it addresses a `manual_only`
 * session.
 */
export async function startTask(
  context: ProjectContext,
  principal: Principal,
  projectId: string,
  taskId: string,
  request: StartProjectTask,
  key?: string,
): Promise<ProjectTask> {
  const started = await context.log.write({
    actor: actorIdOf(principal),
    lane: projectTopic(projectId),
    open: () => projectToChange(principal, projectId),
    *decide(project, at): Tx<Decision<string>> {
      assertMayWork(principal, project);
      const task = yield* startable(project, taskId);
      assertRead(task, request);
      const assignee = yield* assigneeOf(project, task);
      const channelId = yield* channelFor(project, task, request);
      const channel = yield* channelToSpeakIn(principal, channelId);
      const isConfirmed = request.confirmText === true;
      const start = { principal, project, task, assignee, channel, isConfirmed, at };
      const { messageId, root, events } = yield* postStart(context, start);
      const runId = runOf(events, sessionIdOf(assignee.actorId));
      const data: Started = {
        taskId,
        discussion: { channelId, threadRootMessageId: root ?? messageId },
        ...(runId === undefined ? {} : { runId }),
      };
      return {
        events: [inProject(project, { type: 'task_started', data }), ...events],
        answer: () => taskId,
      };
    },
    idempotency: idempotency(
      context.secrets,
      key,
      { startTask: projectId, taskId, request },
      taskOf,
    ),
  });
  return getTask(context, principal, projectId, started);
}

function* startable(project: OpenProjectRow, taskId: string): Tx<TaskRow> {
  if (project.status !== 'active') {
    throw new StoaError('project_not_active', `${project.projectId} is ${project.status}`);
  }
  const task = yield* existingTask(project, taskId);
  if (task.status === 'in_progress') {
    throw new StoaError('invalid_transition', `${taskId} is in progress already`);
  }
  assertFollows(task, 'in_progress');
  yield* assertNotBlocked(project, task);
  return task;
}

/** A person starts the revision that they read, not a later one. */
function assertRead(task: TaskRow, request: StartProjectTask): void {
  const { taskId, revision, writtenBy } = task;
  if (request.confirmText === true && request.revision === undefined) {
    throw new StoaError('invalid_request', 'confirmText needs the revision that was read');
  }
  if (request.revision === undefined || request.revision === revision) return;
  throw new StoaError(
    'revision_conflict',
    `${taskId} has revision ${String(revision)} by ${writtenBy} now: ${taskText(task)}`,
  );
}

function* assigneeOf(
  { topicId }: OpenProjectRow,
  { taskId, assigneeId }: TaskRow,
): Tx<ProjectMemberRow> {
  const member =
    assigneeId === null
      ? undefined
      : yield* findProjectMember.first({ topicId, memberId: assigneeId });
  if (!member) throw new StoaError('task_unassigned', `${taskId} has no assignee: assign it first`);
  if (member.sessionEndedAt !== null) {
    throw new StoaError('session_ended', `The session of ${member.memberId} has ended`);
  }
  return member;
}

/** The requested channel, that of its thread, the default for new tasks, or the only one. */
function* channelFor(
  { topicId, projectId }: OpenProjectRow,
  task: TaskRow,
  request: StartProjectTask,
): Tx<string> {
  const links = yield* listProjectLinks.all({ topicId });
  const isLinked = (channelId: string): boolean =>
    links.some((link) => link.channelId === channelId);
  const { channelId } = request;
  if (channelId !== undefined) {
    if (isLinked(channelId)) return channelId;
    throw new StoaError('channel_not_linked', `${projectId} does not link ${channelId}`);
  }
  if (task.channelId !== null && isLinked(task.channelId)) return task.channelId;
  const chosen = links.find(({ isDefault }) => isDefault === 1) ?? links[0];
  if (chosen && (chosen.isDefault === 1 || links.length === 1)) return chosen.channelId;
  throw new StoaError(
    'channel_not_linked',
    `${projectId} has no channel for new tasks: name one that it links`,
  );
}

interface TaskStart {
  readonly principal: Principal;
  readonly project: OpenProjectRow;
  readonly task: TaskRow;
  readonly assignee: ProjectMemberRow;
  readonly channel: JoinedChannel;
  /** The caller confirmed the text. */
  readonly isConfirmed: boolean;
  readonly at: number;
}

function* postStart(
  context: ProjectContext,
  { principal, project, task, assignee, channel, isConfirmed, at }: TaskStart,
): Tx<{ messageId: string; root: string | undefined; events: readonly NewEvent[] }> {
  const { topicId, channelId } = channel;
  const member = yield* findMemberByActor.first({ topicId, actorId: assignee.actorId });
  if (!member) {
    throw new StoaError('unknown_member', `${assignee.memberId} is no member of ${channelId}`);
  }
  const sessionId = sessionIdOf(assignee.actorId);
  const isOwnText = isConfirmed || task.writtenBy === actorIdOf(principal);
  const text = isOwnText ? taskText(task) : quotedText(task);
  const items: StoredItem[] = [{ type: 'text', text }];
  const root = yield* threadOf(channel, task);
  const { events } = yield* decidePost(
    context,
    {
      principal,
      actor: actorIdOf(principal),
      key: undefined,
      request: root === undefined ? {} : { threadRootMessageId: root },
      addressedMemberIds: [member.memberId],
      metadata: { projectId: project.projectId, taskId: task.taskId },
      ...(sessionId === undefined ? {} : { byHand: [sessionId] }),
      ...(isOwnText ? {} : { requestedBy: task.writtenBy }),
    },
    items,
    channel,
    at,
  );
  const posted = events[0]?.event as Extract<ChannelEvent, { type: 'message_posted' }>;
  return { messageId: posted.data.messageId, root, events };
}

const taskText = ({ title, description }: TaskRow): string =>
  description === null ? title : `${title}\n\n${description}`;

/** Quotes a text that somebody else wrote. */
function quotedText(task: TaskRow): string {
  const quote = taskText(task)
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n');
  return `Task ${task.taskId}, written by ${task.writtenBy}:\n\n${quote}`;
}

/** A task that was started in this channel before continues in its thread. */
function* threadOf({ topicId, channelId }: JoinedChannel, task: TaskRow): Tx<string | undefined> {
  if (task.channelId !== channelId || task.rootMessageId === null) return undefined;
  const known = yield* findMessageRow.first({ topicId, messageId: task.rootMessageId });
  return known && task.rootMessageId;
}

/** The run of the assignee, if it got the turn at once. */
function runOf(events: readonly NewEvent[], sessionId: string | undefined): string | undefined {
  for (const { event } of events) {
    if (event.type !== 'turn_decided') continue;
    const granted = event.data.granted.find((grant) => grant.sessionId === sessionId);
    if (granted) return granted.runId;
  }
  return undefined;
}
