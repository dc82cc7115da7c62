import {
  actorIdOf,
  type Principal,
  type Project,
  type ProjectDetails,
  type ProjectStatus,
  type ProjectTask,
  type ProjectTaskStatus,
  StoaError,
} from '@stoa/protocol';
import {
  findProject,
  listBlockersOfTask,
  listEventsOfTypeBefore,
  listProjectLinks,
  listProjectMembers,
  listProjects as listRows,
  listTasks as listTaskRows,
  type TaskRow,
  type Tx,
  together,
} from '@stoa/store';
import { likePattern } from '../channels/read-channels.js';
import { dataOf } from '../kernel/codec.js';
import { readPage } from '../kernel/paging.js';
import type { ProjectContext } from './context.js';
import { existingTask, projectToRead } from './project-gate.js';
import { linkRecord, projectMemberRecord, projectRecord, taskRecord } from './records.js';

export function getProject(
  context: ProjectContext,
  principal: Principal,
  projectId: string,
): Promise<ProjectDetails> {
  return context.store.read(function* () {
    const { topicId } = yield* projectToRead(principal, projectId);
    const row = yield* findProject.first({ projectId });
    if (!row) throw new StoaError('project_not_found', `There is no project ${projectId}`);
    return {
      ...projectRecord(row),
      members: (yield* listProjectMembers.all({ topicId })).map(projectMemberRecord),
      channelLinks: (yield* listProjectLinks.all({ topicId })).map(linkRecord),
    };
  });
}

export interface ProjectQuery {
  readonly query?: string | undefined;
  readonly status?: ProjectStatus | undefined;
  readonly memberSessionId?: string | undefined;
  readonly channelId?: string | undefined;
  readonly after?: string | undefined;
  readonly limit: number;
}

/** By id. A session sees only its own projects. */
export function listProjects(
  context: ProjectContext,
  principal: Principal,
  { query, status, memberSessionId, channelId, after, limit }: ProjectQuery,
): Promise<{ projects: Project[]; nextAfter?: string }> {
  const asked = memberSessionId === undefined ? '' : `session:${memberSessionId}`;
  const actorId = principal.kind === 'session' ? actorIdOf(principal) : asked;
  return context.store.read(function* () {
    const filter = {
      after: after ?? '',
      pattern: query === undefined ? '' : likePattern(query),
      status: status ?? '',
      actorId,
      channelId: channelId ?? '',
    };
    const { rows, resumeAfter } = yield* readPage(limit, (count) =>
      listRows.all({ ...filter, limit: count }),
    );
    return {
      projects: rows.map(projectRecord),
      ...(resumeAfter && { nextAfter: resumeAfter.projectId }),
    };
  });
}

export interface TaskQuery {
  readonly status?: ProjectTaskStatus | undefined;
  readonly assigneeMemberId?: string | undefined;
  readonly after?: string | undefined;
  readonly limit: number;
}

export function listTasks(
  context: ProjectContext,
  principal: Principal,
  projectId: string,
  { status, assigneeMemberId, after, limit }: TaskQuery,
): Promise<{ tasks: ProjectTask[]; nextAfter?: string }> {
  return context.store.read(function* () {
    const { topicId } = yield* projectToRead(principal, projectId);
    const filter = {
      topicId,
      after: after ?? '',
      status: status ?? '',
      assigneeId: assigneeMemberId ?? '',
    };
    const { rows, resumeAfter } = yield* readPage(limit, (count) =>
      listTaskRows.all({ ...filter, limit: count }),
    );
    const tasks: ProjectTask[] = [];
    for (const row of rows) tasks.push(yield* withBlockers(projectId, row));
    return { tasks, ...(resumeAfter && { nextAfter: resumeAfter.taskId }) };
  });
}

export function getTask(
  context: ProjectContext,
  principal: Principal,
  projectId: string,
  taskId: string,
): Promise<ProjectTask> {
  return context.store.read(function* () {
    const project = yield* projectToRead(principal, projectId);
    const task = yield* withBlockers(projectId, yield* existingTask(project, taskId));
    return { ...task, history: yield* historyOf(project.topicId, taskId) };
  });
}

/** Only so many of the newest changes in the project are read. */
const CHANGES_READ = 500;
const HISTORY_SHOWN = 50;

/** Who changed which field of a task, newest first. */
function* historyOf(topicId: number, taskId: string): Tx<NonNullable<ProjectTask['history']>> {
  const page = { topicId, after: 0, before: Number.MAX_SAFE_INTEGER, limit: CHANGES_READ };
  const [updates, starts] = yield* together(
    listEventsOfTypeBefore.all({ ...page, type: 'task_updated' }),
    listEventsOfTypeBefore.all({ ...page, type: 'task_started' }),
  );
  return [...updates, ...starts]
    .sort((one, other) => other.seq - one.seq)
    .flatMap(({ at, actor, body }) => {
      const changed = dataOf<'task_updated' | 'task_started'>('task_updated', { body });
      if (changed.taskId !== taskId) return [];
      // A start changes the status.
      const fields = 'change' in changed ? Object.keys(changed.change) : ['status'];
      return [{ at, by: actor, fields }];
    })
    .slice(0, HISTORY_SHOWN);
}

function* withBlockers(projectId: string, row: TaskRow): Tx<ProjectTask> {
  const { topicId, taskId } = row;
  const blockers = yield* listBlockersOfTask.all({ topicId, taskId });
  return taskRecord(
    projectId,
    row,
    blockers.map(({ blockerId }) => blockerId),
  );
}
