import { z } from 'zod';
import { PROJECT_STATUSES, PROJECT_TASK_STATUSES } from '../enumerations.js';
import { LIMITS } from '../limits.js';
import { Description, Title } from './channel.js';
import {
  ActorId,
  ChannelId,
  chosenId,
  EpochMs,
  MessageId,
  Metadata,
  ProjectTaskId,
  RunId,
  Seq,
} from './ids.js';
import { DisplayName, MemberKind } from './member.js';

/** Short enough for `project:{projectId}:{memberId}` as the id of a member of a channel. */
export const ProjectId = chosenId(/^[a-z0-9](?:[a-z0-9._-]{0,46}[a-z0-9])?$/, 'a project');
export const ProjectMemberId = z
  .string()
  .regex(/^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9])?$/)
  .meta({ description: 'the id of a member: letters and digits, with - . _ between them' });

/** Tasks can be started in active projects only. In an archived project only the status can be changed. */
export const ProjectStatus = z.enum(PROJECT_STATUSES);
export type ProjectStatus = z.infer<typeof ProjectStatus>;

const Role = z.string().max(LIMITS.titleChars);

export const ProjectMember = z.strictObject({
  memberId: ProjectMemberId,
  memberKind: MemberKind,
  actorId: ActorId,
  displayName: DisplayName,
  role: Role.optional(),
  joinedAt: EpochMs,
  /** Its session ended because its parent session ended. */
  sessionEndedAt: EpochMs.optional(),
});
export type ProjectMember = z.infer<typeof ProjectMember>;

/** A channel that a project uses. It does not change the channel, which however cannot be deleted. */
export const ChannelLink = z.strictObject({
  channelId: ChannelId,
  /** The purpose of the channel in the project. */
  role: Role.optional(),
  /** Tasks that name no channel start here; at most one link of a project. */
  defaultForNewTasks: z.boolean(),
  /** The members of the project are members of the channel too. */
  mirrorMembers: z.boolean(),
  linkedAt: EpochMs,
});
export type ChannelLink = z.infer<typeof ChannelLink>;

/** Shared work of people and sessions: members, channels and tasks. */
export const Project = z.strictObject({
  projectId: ProjectId,
  displayName: Title,
  description: Description.optional(),
  status: ProjectStatus,
  createdBy: ActorId,
  createdAt: EpochMs,
  updatedAt: EpochMs,
  memberCount: z.int().min(0),
  taskCount: z.int().min(0),
  metadata: Metadata,
  headSeq: Seq,
});
export type Project = z.infer<typeof Project>;

export const ProjectDetails = Project.extend({
  members: z.array(ProjectMember),
  channelLinks: z.array(ChannelLink),
});
export type ProjectDetails = z.infer<typeof ProjectDetails>;

export const CreateProject = z.strictObject({
  projectId: ProjectId.optional(),
  displayName: Title,
  description: Description.optional(),
  metadata: Metadata.optional(),
});
export type CreateProject = z.infer<typeof CreateProject>;

/** An absent field is not changed; `null` clears it. */
export const UpdateProject = z.strictObject({
  displayName: Title.optional(),
  description: Description.nullable().optional(),
  status: ProjectStatus.optional(),
  metadata: Metadata.optional(),
});
export type UpdateProject = z.infer<typeof UpdateProject>;

/** Joining again updates the member and keeps `joinedAt`. Without `actorId` the caller joins. */
export const UpsertProjectMember = z.strictObject({
  memberId: ProjectMemberId.optional(),
  actorId: ActorId.optional(),
  displayName: DisplayName.optional(),
  role: Role.optional(),
});
export type UpsertProjectMember = z.infer<typeof UpsertProjectMember>;

/** Linking again updates the link. */
export const LinkChannel = z.strictObject({
  role: Role.optional(),
  defaultForNewTasks: z.boolean().optional(),
  mirrorMembers: z.boolean().optional(),
});
export type LinkChannel = z.infer<typeof LinkChannel>;

/**
 *   open ──▶ in_progress ──▶ completed | cancelled ──▶ open
 *
 * `TASK_TRANSITIONS` lists the allowed changes.
 */
export const ProjectTaskStatus = z.enum(PROJECT_TASK_STATUSES);
export type ProjectTaskStatus = z.infer<typeof ProjectTaskStatus>;

export const TASK_TRANSITIONS: Readonly<Record<ProjectTaskStatus, readonly ProjectTaskStatus[]>> = {
  open: ['in_progress', 'completed', 'cancelled'],
  in_progress: ['open', 'completed', 'cancelled'],
  completed: ['open'],
  cancelled: ['open'],
};

/** The thread in which a task was started. */
export const TaskDiscussion = z.strictObject({
  channelId: ChannelId,
  threadRootMessageId: MessageId,
});
export type TaskDiscussion = z.infer<typeof TaskDiscussion>;

const BlockedBy = z.array(ProjectTaskId).max(LIMITS.blockersPerTask);
const TaskOutput = z.string().max(LIMITS.taskOutputChars);

export const ProjectTask = z.strictObject({
  taskId: ProjectTaskId,
  projectId: ProjectId,
  title: Title,
  description: Description.optional(),
  assigneeMemberId: ProjectMemberId.optional(),
  /** It cannot start before these are completed or cancelled. */
  blockedBy: z.array(ProjectTaskId),
  parentTaskId: ProjectTaskId.optional(),
  status: ProjectTaskStatus,
  discussion: TaskDiscussion.optional(),
  /** The run of the last start, if the assignee got its turn immediately. */
  latestRunId: RunId.optional(),
  output: z.string().optional(),
  /** Counts the changes of title and description. */
  revision: z.int().min(1),
  /**
   * The author of the current title and description: an agent that does the task reads them as words of this actor.
   */
  writtenBy: ActorId,
  createdBy: ActorId,
  createdAt: EpochMs,
  updatedAt: EpochMs,
  /** The latest changes, newest first; only if one task is read. */
  history: z
    .array(z.strictObject({ at: EpochMs, by: ActorId, fields: z.array(z.string()) }))
    .optional(),
});
export type ProjectTask = z.infer<typeof ProjectTask>;

export const CreateProjectTask = z.strictObject({
  title: Title,
  description: Description.optional(),
  assigneeMemberId: ProjectMemberId.optional(),
  blockedBy: BlockedBy.optional(),
  parentTaskId: ProjectTaskId.optional(),
});
export type CreateProjectTask = z.infer<typeof CreateProjectTask>;

/** An absent field is not changed; `null` clears it. */
export const UpdateProjectTask = z.strictObject({
  title: Title.optional(),
  description: Description.nullable().optional(),
  assigneeMemberId: ProjectMemberId.nullable().optional(),
  blockedBy: BlockedBy.optional(),
  parentTaskId: ProjectTaskId.nullable().optional(),
  status: ProjectTaskStatus.optional(),
  output: TaskOutput.nullable().optional(),
});
export type UpdateProjectTask = z.infer<typeof UpdateProjectTask>;

/** Without a channel: the one of its thread, or the default for new tasks. */
export const StartProjectTask = z.strictObject({
  channelId: ChannelId.optional(),
  /** The revision that the caller has read; another one is refused. */
  revision: z.int().min(1).optional(),
  /** The caller has read exactly this revision and requests it in their own name. */
  confirmText: z.boolean().optional(),
});
export type StartProjectTask = z.infer<typeof StartProjectTask>;
