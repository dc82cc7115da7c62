import { z } from 'zod';
import { Description, Title } from '../records/channel.js';
import { ChannelId, Metadata, ProjectTaskId, RunId } from '../records/ids.js';
import {
  ChannelLink,
  CreateProjectTask,
  ProjectId,
  ProjectMember,
  ProjectMemberId,
  ProjectStatus,
  TaskDiscussion,
  UpdateProjectTask,
} from '../records/project.js';
import { defineTopic, event } from './define-topic.js';

/** Everything that can happen to a project. Its tables are a replay of these. */
export const ProjectEvent = z.lazy(() =>
  z.discriminatedUnion('type', [
    event('project_created', {
      projectId: ProjectId,
      displayName: Title,
      description: Description.optional(),
      metadata: Metadata,
    }),
    event('project_updated', {
      displayName: Title.optional(),
      description: Description.nullable().optional(),
      status: ProjectStatus.optional(),
      metadata: Metadata.optional(),
    }),
    event('project_deleted', { projectId: ProjectId }),
    event('project_member_joined', { member: ProjectMember }),
    event('project_member_updated', { member: ProjectMember }),
    event('project_member_left', { memberId: ProjectMemberId }),
    event('project_session_ended', { memberId: ProjectMemberId }),
    event('channel_linked', { link: ChannelLink }),
    event('channel_unlinked', { channelId: ChannelId }),
    event('task_created', { taskId: ProjectTaskId, task: CreateProjectTask }),
    event('task_updated', { taskId: ProjectTaskId, change: UpdateProjectTask }),
    event('task_started', {
      taskId: ProjectTaskId,
      discussion: TaskDiscussion,
      runId: RunId.optional(),
    }),
    event('task_deleted', { taskId: ProjectTaskId }),
  ]),
);
export type ProjectEvent = z.infer<typeof ProjectEvent>;

export const projectTopic = defineTopic('project', ProjectEvent);
