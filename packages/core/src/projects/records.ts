import type {
  ChannelLink,
  Project,
  ProjectMember,
  ProjectStatus,
  ProjectTask,
  ProjectTaskStatus,
} from '@stoa/protocol';
import type { ProjectLinkRow, ProjectListRow, ProjectMemberRow, TaskRow } from '@stoa/store';
import { decode } from '../kernel/codec.js';

export function projectRecord(row: ProjectListRow): Project {
  return {
    projectId: row.projectId,
    displayName: row.displayName,
    ...(row.description === null ? {} : { description: row.description }),
    status: row.status as ProjectStatus,
    createdBy: row.createdBy,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    memberCount: row.memberCount,
    taskCount: row.taskCount,
    metadata: decode(row.metadata),
    headSeq: row.head,
  };
}

export function projectMemberRecord(row: ProjectMemberRow): ProjectMember {
  return {
    memberId: row.memberId,
    memberKind: row.memberKind as ProjectMember['memberKind'],
    actorId: row.actorId,
    displayName: row.displayName,
    ...(row.role === null ? {} : { role: row.role }),
    joinedAt: row.joinedAt,
    ...(row.sessionEndedAt === null ? {} : { sessionEndedAt: row.sessionEndedAt }),
  };
}

export function linkRecord(row: ProjectLinkRow): ChannelLink {
  return {
    channelId: row.channelId,
    ...(row.role === null ? {} : { role: row.role }),
    defaultForNewTasks: row.isDefault === 1,
    mirrorMembers: row.mirrors === 1,
    linkedAt: row.linkedAt,
  };
}

export function taskRecord(
  projectId: string,
  row: TaskRow,
  blockedBy: readonly string[],
): ProjectTask {
  return {
    taskId: row.taskId,
    projectId,
    title: row.title,
    ...(row.description === null ? {} : { description: row.description }),
    ...(row.assigneeId === null ? {} : { assigneeMemberId: row.assigneeId }),
    blockedBy: [...blockedBy],
    ...(row.parentTaskId === null ? {} : { parentTaskId: row.parentTaskId }),
    status: row.status as ProjectTaskStatus,
    ...(row.channelId === null || row.rootMessageId === null
      ? {}
      : {
          discussion: { channelId: row.channelId, threadRootMessageId: row.rootMessageId },
        }),
    ...(row.runId === null ? {} : { latestRunId: row.runId }),
    ...(row.output === null ? {} : { output: row.output }),
    revision: row.revision,
    writtenBy: row.writtenBy,
    createdBy: row.createdBy,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}
