import {
  actorIdOf,
  type CreateProjectTask,
  LIMITS,
  type Principal,
  type ProjectTask,
  type ProjectTaskStatus,
  projectTopic,
  StoaError,
  TASK_TRANSITIONS,
  type UpdateProjectTask,
} from '@stoa/protocol';
import {
  countTasks,
  findProjectMember,
  listBlockers,
  listBlockersOfTask,
  listTaskParents,
  type OpenProjectRow,
  openSession,
  type TaskRow,
  type Tx,
} from '@stoa/store';
import { mayModerate } from '../access/rules.js';
import { sessionIdOf } from '../channels/member-name.js';
import { dataOf } from '../kernel/codec.js';
import { idempotency } from '../kernel/idempotency.js';
import type { Decision } from '../kernel/log.js';
import { mayDirect } from '../sessions/session-gate.js';
import { inProject, type ProjectContext } from './context.js';
import {
  assertMayWork,
  assertTakesChanges,
  existingTask,
  projectToChange,
} from './project-gate.js';
import { getTask } from './read-projects.js';
import { assertNoCircle, edgesOf } from './task-graph.js';

export async function createTask(
  context: ProjectContext,
  principal: Principal,
  projectId: string,
  request: CreateProjectTask,
  key?: string,
): Promise<ProjectTask> {
  const taskId = context.ids.next('ptk');
  const made = await context.log.write({
    actor: actorIdOf(principal),
    lane: projectTopic(projectId),
    open: () => projectToChange(principal, projectId),
    *decide(project): Tx<Decision<string>> {
      assertTakesChanges(project);
      assertMayWork(principal, project);
      const { topicId } = project;
      if (((yield* countTasks.first({ topicId }))?.count ?? 0) >= LIMITS.tasksPerProject) {
        throw new StoaError(
          'limit_reached',
          `A project has at most ${String(LIMITS.tasksPerProject)} tasks`,
        );
      }
      const task = yield* admitted(project, taskId, request);
      return {
        events: [inProject(project, { type: 'task_created', data: { taskId, task } })],
        answer: () => taskId,
      };
    },
    idempotency: idempotency(context.secrets, key, { createTask: projectId, request }, taskOf),
  });
  return getTask(context, principal, projectId, made);
}

/** People may change every field; a session only status and output of tasks that are assigned to it. */
export async function updateTask(
  context: ProjectContext,
  principal: Principal,
  projectId: string,
  taskId: string,
  request: UpdateProjectTask,
): Promise<ProjectTask> {
  if (Object.keys(request).length === 0) {
    throw new StoaError('invalid_request', 'Nothing to change', [
      { path: 'body', message: 'at least one field' },
    ]);
  }
  await context.log.write({
    actor: actorIdOf(principal),
    lane: projectTopic(projectId),
    open: () => projectToChange(principal, projectId),
    *decide(project): Tx<Decision<void>> {
      assertTakesChanges(project);
      const task = yield* existingTask(project, taskId);
      assertMayChange(principal, project, task, request);
      if (request.title !== undefined || request.description !== undefined) {
        yield* assertMayRewrite(principal, project, task);
      }
      if (request.status !== undefined) assertFollows(task, request.status);
      if (request.status === 'in_progress') yield* assertNotBlocked(project, task);
      const change = yield* admitted(project, taskId, request);
      return {
        events: [inProject(project, { type: 'task_updated', data: { taskId, change } })],
        answer: () => undefined,
      };
    },
  });
  return getTask(context, principal, projectId, taskId);
}

/** Tasks that it blocked are no longer blocked, and its subtasks have no parent. */
export function deleteTask(
  context: ProjectContext,
  principal: Principal,
  projectId: string,
  taskId: string,
): Promise<void> {
  return context.log.write({
    actor: actorIdOf(principal),
    lane: projectTopic(projectId),
    open: () => projectToChange(principal, projectId),
    *decide(project): Tx<Decision<void>> {
      assertTakesChanges(project);
      const task = yield* existingTask(project, taskId);
      const isOwn = task.createdBy === actorIdOf(principal);
      if (!isOwn && !mayModerate(principal, project.createdBy)) {
        throw new StoaError(
          'forbidden',
          'Only the creator of the task, the creator of the project or the owner may delete it',
        );
      }
      return {
        events: [inProject(project, { type: 'task_deleted', data: { taskId } })],
        answer: () => undefined,
      };
    },
  });
}

export const taskOf = ({ body }: { readonly body: string }): string =>
  dataOf('task_created', { body }).taskId;

export function assertFollows({ taskId, status }: TaskRow, wanted: ProjectTaskStatus): void {
  const now = status as ProjectTaskStatus;
  if (now === wanted || TASK_TRANSITIONS[now].includes(wanted)) return;
  throw new StoaError('invalid_transition', `${taskId} is ${now} and cannot become ${wanted}`);
}

export function* assertNotBlocked({ topicId }: OpenProjectRow, { taskId }: TaskRow): Tx<void> {
  const blockers = yield* listBlockersOfTask.all({ topicId, taskId });
  const open = blockers.filter(({ status }) => status === 'open' || status === 'in_progress');
  if (open.length === 0) return;
  const names = open.map(({ blockerId }) => blockerId).join(', ');
  throw new StoaError('task_blocked', `${taskId} waits for ${names}`);
}

const SESSION_FIELDS: readonly string[] = ['status', 'output'];

function assertMayChange(
  principal: Principal,
  project: OpenProjectRow,
  { assigneeId }: TaskRow,
  request: UpdateProjectTask,
): void {
  assertMayWork(principal, project);
  if (principal.kind !== 'session') return;
  const isIts = assigneeId !== null && assigneeId === project.memberId;
  if (isIts && Object.keys(request).every((field) => SESSION_FIELDS.includes(field))) return;
  throw new StoaError('forbidden', 'A session may change only status and output of its own tasks');
}

/** An agent is asked to do what the text of a task states, so not every member may change it. */
function* assertMayRewrite(
  principal: Principal,
  project: OpenProjectRow,
  { createdBy, assigneeId }: TaskRow,
): Tx<void> {
  if (mayModerate(principal, project.createdBy) || createdBy === actorIdOf(principal)) return;
  const { topicId } = project;
  const assignee =
    assigneeId === null
      ? undefined
      : yield* findProjectMember.first({ topicId, memberId: assigneeId });
  if (assignee?.actorId === actorIdOf(principal)) return;
  const sessionId = assignee && sessionIdOf(assignee.actorId);
  const session = sessionId ? yield* openSession.first({ sessionId }) : undefined;
  if (session && mayDirect(principal, session)) return;
  throw new StoaError(
    'forbidden',
    'Title and description of a task may be changed by its creator, its assignee, the person its assignee works for, ' +
      'the creator of the project and the owner',
  );
}

interface Named {
  readonly assigneeMemberId?: string | null | undefined;
  readonly parentTaskId?: string | null | undefined;
  readonly blockedBy?: readonly string[] | undefined;
}

/** Checks that members and tasks that a task names are in the project, and that there is no cycle. */
function* admitted<T extends Named>(
  { topicId, projectId }: OpenProjectRow,
  taskId: string,
  request: T,
): Tx<T> {
  const { assigneeMemberId, parentTaskId } = request;
  if (
    assigneeMemberId &&
    !(yield* findProjectMember.first({ topicId, memberId: assigneeMemberId }))
  )
    throw new StoaError('unknown_member', `There is no member ${assigneeMemberId} in ${projectId}`);
  const blockedBy = request.blockedBy && [...new Set(request.blockedBy)];
  if (!parentTaskId && !blockedBy?.length) return request;
  const tasks = yield* listTaskParents.all({ topicId });
  const known = new Set(tasks.map((task) => task.taskId));
  for (const named of [...(blockedBy ?? []), ...(parentTaskId ? [parentTaskId] : [])]) {
    if (known.has(named) || named === taskId) continue;
    throw new StoaError('unknown_task', `There is no task ${named} in ${projectId}`);
  }
  if (parentTaskId) {
    const parents = tasks.flatMap((task): [string, string][] =>
      task.parentTaskId === null ? [] : [[task.taskId, task.parentTaskId]],
    );
    assertNoCircle(taskId, [parentTaskId], edgesOf(parents));
  }
  if (blockedBy) {
    const blockers = yield* listBlockers.all({ topicId });
    const pairs = blockers.map((row): [string, string] => [row.taskId, row.blockerId]);
    assertNoCircle(taskId, blockedBy, edgesOf(pairs));
  }
  return blockedBy ? { ...request, blockedBy } : request;
}
