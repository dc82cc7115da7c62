import type { ProjectEvent } from '@stoa/protocol';
import {
  clearAssignee,
  clearDefaultLink,
  clearParentTask,
  DELETE_PROJECT,
  deleteBlocker,
  deleteBlockers,
  deleteProjectLink,
  deleteProjectMember,
  deleteTask,
  findProjectFields,
  findTask,
  insertBlocker,
  insertErasure,
  insertProject,
  putTask,
  raiseFloor,
  setProjectSessionEnded,
  type Tx,
  updateProject,
  upsertProjectLink,
  upsertProjectMember,
} from '@stoa/store';
import type { Position } from '../kernel/entry.js';
import type { EventOf, Projections } from '../kernel/module.js';

function* putMember(
  position: Position,
  event: EventOf<'project_member_joined' | 'project_member_updated'>,
): Tx<void> {
  const { topicId } = position;
  const { member } = event.data;
  const { memberId, memberKind, actorId, displayName, joinedAt } = member;
  const row = { topicId, memberId, memberKind, actorId, displayName, joinedAt };
  const { role = null, sessionEndedAt = null } = member;
  yield* upsertProjectMember.run({ ...row, role, sessionEndedAt });
}

/** Updates the tables of projects. */
export const PROJECT_EVENTS: Projections = {
  *project_created(position, event) {
    const { topicId, at } = position;
    const { projectId, displayName, description, metadata } = event.data;
    yield* insertProject.run({
      topicId,
      projectId,
      displayName,
      description: description ?? null,
      status: 'active',
      createdBy: position.actor,
      createdAt: at,
      updatedAt: at,
      metadata: JSON.stringify(metadata),
    });
  },
  *project_updated(position, event) {
    yield* changeProject(position, event.data);
  },
  *project_deleted(position) {
    const { topicId, seq } = position;
    for (const table of DELETE_PROJECT) yield* table.run({ topicId });
    yield* raiseFloor.run({ id: topicId, floor: seq - 1 });
    yield* insertErasure.run({ topicId });
  },
  project_member_joined: putMember,
  project_member_updated: putMember,
  *project_member_left(position, event) {
    const { topicId } = position;
    const { memberId } = event.data;
    yield* deleteProjectMember.run({ topicId, memberId });
    yield* clearAssignee.run({ topicId, assigneeId: memberId });
  },
  *project_session_ended(position, event) {
    const { topicId, at } = position;
    yield* setProjectSessionEnded.run({ topicId, memberId: event.data.memberId, at });
  },
  *channel_linked(position, event) {
    const { topicId } = position;
    const { channelId, role = null, defaultForNewTasks, mirrorMembers, linkedAt } = event.data.link;
    if (defaultForNewTasks) yield* clearDefaultLink.run({ topicId });
    yield* upsertProjectLink.run({
      topicId,
      channelId,
      role,
      isDefault: Number(defaultForNewTasks),
      mirrors: Number(mirrorMembers),
      linkedAt,
    });
  },
  *channel_unlinked(position, event) {
    const { topicId } = position;
    yield* deleteProjectLink.run({ topicId, channelId: event.data.channelId });
  },
  *task_created(position, event) {
    yield* createTask(position, event.data);
  },
  *task_updated(position, event) {
    yield* changeTask(position, event.data);
  },
  *task_started(position, event) {
    yield* startTask(position, event.data);
  },
  *task_deleted(position, event) {
    const { topicId } = position;
    const { taskId } = event.data;
    yield* deleteTask.run({ topicId, taskId });
    yield* deleteBlockers.run({ topicId, taskId });
    yield* deleteBlocker.run({ topicId, blockerId: taskId });
    yield* clearParentTask.run({ topicId, parentTaskId: taskId });
  },
};

type DataOf<T extends ProjectEvent['type']> = Extract<ProjectEvent, { type: T }>['data'];

function* changeProject({ topicId, at }: Position, change: DataOf<'project_updated'>): Tx<void> {
  const now = yield* findProjectFields.first({ topicId });
  if (!now) return;
  yield* updateProject.run({
    topicId,
    at,
    displayName: change.displayName ?? now.displayName,
    description: change.description === undefined ? now.description : change.description,
    status: change.status ?? now.status,
    metadata: change.metadata === undefined ? now.metadata : JSON.stringify(change.metadata),
  });
}

function* createTask(
  { topicId, at, actor }: Position,
  { taskId, task }: DataOf<'task_created'>,
): Tx<void> {
  yield* putTask.run({
    topicId,
    taskId,
    title: task.title,
    description: task.description ?? null,
    assigneeId: task.assigneeMemberId ?? null,
    parentTaskId: task.parentTaskId ?? null,
    status: 'open',
    channelId: null,
    rootMessageId: null,
    runId: null,
    output: null,
    createdBy: actor,
    createdAt: at,
    updatedAt: at,
    revision: 1,
    writtenBy: actor,
  });
  yield* block(topicId, taskId, task.blockedBy ?? []);
}

function* changeTask(
  { topicId, at, actor }: Position,
  { taskId, change }: DataOf<'task_updated'>,
): Tx<void> {
  const now = yield* findTask.first({ topicId, taskId });
  if (!now) return;
  const { title, description, assigneeMemberId, parentTaskId, status, output, blockedBy } = change;
  yield* putTask.run({
    ...now,
    title: title ?? now.title,
    description: description === undefined ? now.description : description,
    assigneeId: assigneeMemberId === undefined ? now.assigneeId : assigneeMemberId,
    parentTaskId: parentTaskId === undefined ? now.parentTaskId : parentTaskId,
    status: status ?? now.status,
    output: output === undefined ? now.output : output,
    updatedAt: at,
    ...(title === undefined && description === undefined
      ? {}
      : { revision: now.revision + 1, writtenBy: actor }),
  });
  if (blockedBy === undefined) return;
  yield* deleteBlockers.run({ topicId, taskId });
  yield* block(topicId, taskId, blockedBy);
}

function* startTask(
  { topicId, at }: Position,
  { taskId, discussion, runId }: DataOf<'task_started'>,
): Tx<void> {
  const now = yield* findTask.first({ topicId, taskId });
  if (!now) return;
  yield* putTask.run({
    ...now,
    status: 'in_progress',
    channelId: discussion.channelId,
    rootMessageId: discussion.threadRootMessageId,
    runId: runId ?? null,
    updatedAt: at,
  });
}

function* block(topicId: number, taskId: string, blockers: readonly string[]): Tx<void> {
  for (const blockerId of blockers) yield* insertBlocker.run({ topicId, taskId, blockerId });
}
