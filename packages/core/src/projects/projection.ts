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
import type { Place } from '../log/entry.js';

/**
 * What one event does to the tables of its project. It decides nothing and reads nothing but those
 * tables, so that replaying a log from zero gives the same tables.
 */
export function* projectProjectEvent(place: Place, event: ProjectEvent): Tx<void> {
  const { topicId, seq, at } = place;
  switch (event.type) {
    case 'project_created': {
      const { projectId, displayName, description, metadata } = event.data;
      yield* insertProject.run({
        topicId,
        projectId,
        displayName,
        description: description ?? null,
        status: 'active',
        createdBy: place.actor,
        createdAt: at,
        updatedAt: at,
        metadata: JSON.stringify(metadata),
      });
      return;
    }
    case 'project_updated':
      yield* changeProject(place, event.data);
      return;
    case 'project_deleted':
      for (const table of DELETE_PROJECT) yield* table.run({ topicId });
      yield* raiseFloor.run({ id: topicId, floor: seq - 1 });
      yield* insertErasure.run({ topicId });
      return;
    case 'project_member_joined':
    case 'project_member_updated': {
      const { member } = event.data;
      const { memberId, memberKind, actorId, displayName, joinedAt } = member;
      const row = { topicId, memberId, memberKind, actorId, displayName, joinedAt };
      const { role = null, sessionEndedAt = null } = member;
      yield* upsertProjectMember.run({ ...row, role, sessionEndedAt });
      return;
    }
    case 'project_member_left': {
      const { memberId } = event.data;
      yield* deleteProjectMember.run({ topicId, memberId });
      yield* clearAssignee.run({ topicId, assigneeId: memberId });
      return;
    }
    case 'project_session_ended':
      yield* setProjectSessionEnded.run({ topicId, memberId: event.data.memberId, at });
      return;
    case 'channel_linked': {
      const {
        channelId,
        role = null,
        defaultForNewTasks,
        mirrorMembers,
        linkedAt,
      } = event.data.link;
      if (defaultForNewTasks) yield* clearDefaultLink.run({ topicId });
      yield* upsertProjectLink.run({
        topicId,
        channelId,
        role,
        isDefault: Number(defaultForNewTasks),
        mirrors: Number(mirrorMembers),
        linkedAt,
      });
      return;
    }
    case 'channel_unlinked':
      yield* deleteProjectLink.run({ topicId, channelId: event.data.channelId });
      return;
    case 'task_created':
      yield* createTask(place, event.data);
      return;
    case 'task_updated':
      yield* changeTask(place, event.data);
      return;
    case 'task_started':
      yield* startTask(place, event.data);
      return;
    case 'task_deleted': {
      const { taskId } = event.data;
      yield* deleteTask.run({ topicId, taskId });
      yield* deleteBlockers.run({ topicId, taskId });
      yield* deleteBlocker.run({ topicId, blockerId: taskId });
      yield* clearParentTask.run({ topicId, parentTaskId: taskId });
      return;
    }
  }
}

type DataOf<T extends ProjectEvent['type']> = Extract<ProjectEvent, { type: T }>['data'];

function* changeProject({ topicId, at }: Place, change: DataOf<'project_updated'>): Tx<void> {
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
  { topicId, at, actor }: Place,
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
  { topicId, at, actor }: Place,
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
  { topicId, at }: Place,
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
