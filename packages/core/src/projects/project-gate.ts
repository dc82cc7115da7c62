import { actorIdOf, type Principal, StoaError } from '@stoa/protocol';
import {
  findTask,
  lockProject,
  type OpenProjectRow,
  openProject,
  type TaskRow,
  type Tx,
} from '@stoa/store';
import { callerClass, mayModerate } from '../access/rules.js';

/**
 * The only way to a project that a caller names. Projects are public to the people of this daemon, as channels are; a session
 * sees the projects of which it is a member.
 */
export function* projectToRead(principal: Principal, projectId: string): Tx<OpenProjectRow> {
  const row = yield* openProject.first({ projectId, actorId: actorIdOf(principal) });
  return found(row, principal, projectId);
}

export function* projectToChange(principal: Principal, projectId: string): Tx<OpenProjectRow> {
  const row = yield* lockProject.first({ projectId, actorId: actorIdOf(principal) });
  return found(row, principal, projectId);
}

export function* projectToManage(principal: Principal, projectId: string): Tx<OpenProjectRow> {
  const project = yield* projectToChange(principal, projectId);
  assertMayManage(principal, project);
  return project;
}

export function assertMayManage(principal: Principal, project: OpenProjectRow): void {
  if (mayModerate(principal, project.createdBy)) return;
  throw new StoaError('forbidden', 'Only the creator of the project or the owner may do this');
}

/** Only members, the creator of the project and the owner may work with its tasks. */
export function assertMayWork(principal: Principal, project: OpenProjectRow): void {
  if (project.memberId !== null || mayModerate(principal, project.createdBy)) return;
  throw new StoaError('not_member', `Join ${project.projectId} first`);
}

export function assertTakesChanges({ status, projectId }: OpenProjectRow): void {
  if (status !== 'archived') return;
  throw new StoaError('project_not_active', `${projectId} is archived and takes no changes`);
}

export function* existingTask({ topicId, projectId }: OpenProjectRow, taskId: string): Tx<TaskRow> {
  const task = yield* findTask.first({ topicId, taskId });
  if (!task) throw new StoaError('task_not_found', `There is no task ${taskId} in ${projectId}`);
  return task;
}

function found(
  row: OpenProjectRow | undefined,
  principal: Principal,
  projectId: string,
): OpenProjectRow {
  const isHidden = callerClass(principal) === 'session' && row?.memberId === null;
  if (!row || isHidden) {
    throw new StoaError('project_not_found', `There is no project ${projectId}`);
  }
  return row;
}
