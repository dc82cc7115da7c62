import { z } from 'zod';
import { DriverKind } from '../drivers/drivers.js';
import { LIMITS } from '../limits.js';
import { AgentId, PermissionMode, PermissionRules } from './agent.js';
import { ChannelRuntimeIdentity, ChannelRuntimeMemoryScope } from './identity.js';
import { ActorId, EpochMs, Metadata, RunId, Seq, SessionId } from './ids.js';

/** An absolute path. */
export const WorkspacePath = z.string().min(1).max(4_096).regex(/^\//);
export const SessionTitle = z.string().max(LIMITS.titleChars).regex(/\S/);

/** The durable state of one agent at work: inbox, runs, journal. */
export const Session = z.strictObject({
  sessionId: SessionId,
  agentId: AgentId,
  /** The current name of the agent, including its nickname. */
  agentName: z.string(),
  driver: DriverKind,
  model: z.string().optional(),
  /** Only if one session is read: the agent has another definition now, which a refresh copies. */
  definitionChanged: z.boolean().optional(),
  title: SessionTitle.optional(),
  workspace: WorkspacePath,
  mode: PermissionMode,
  /** Rules that answers added for this session. */
  permissions: PermissionRules,
  parentSessionId: SessionId.optional(),
  createdBy: ActorId,
  /** The person it works for, who may read it and answers its approvals. */
  responsibleId: ActorId,
  createdAt: EpochMs,
  updatedAt: EpochMs,
  status: z.enum(['idle', 'busy', 'waiting', 'ended']),
  endedAt: EpochMs.optional(),
  activeRunId: RunId.optional(),
  queuedRuns: z.int().min(0),
  identity: ChannelRuntimeIdentity,
  memoryScope: ChannelRuntimeMemoryScope,
  metadata: Metadata,
  headSeq: Seq,
});
export type Session = z.infer<typeof Session>;

/**
 * Without a workspace: the directory in which the daemon was started. A sub-session has at most the authority of its
 * parent.
 */
export const CreateSession = z.strictObject({
  agentId: AgentId,
  workspace: WorkspacePath.optional(),
  title: SessionTitle.optional(),
  mode: PermissionMode.optional(),
  parentSessionId: SessionId.optional(),
  metadata: Metadata.optional(),
});
export type CreateSession = z.infer<typeof CreateSession>;

export const UpdateSession = z.strictObject({
  title: SessionTitle.nullable().optional(),
  mode: PermissionMode.optional(),
  metadata: Metadata.optional(),
});
export type UpdateSession = z.infer<typeof UpdateSession>;
