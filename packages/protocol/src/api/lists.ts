import { z } from 'zod';
import { INCLUSIONS } from '../enumerations.js';
import { StampedEvent } from '../events/event.js';
import { LIMITS } from '../limits.js';
import { Agent, AgentId } from '../records/agent.js';
import { Approval, ApprovalState } from '../records/approval.js';
import { AssetName } from '../records/asset.js';
import { Board } from '../records/board.js';
import { Channel } from '../records/channel.js';
import { Credential } from '../records/credential.js';
import {
  ApprovalId,
  ChannelId,
  EpochMs,
  MessageId,
  PageSize,
  ProjectTaskId,
  RunId,
  ScheduleId,
  Seq,
  SessionId,
} from '../records/ids.js';
import { InboxItem, InboxItemState } from '../records/inbox.js';
import { McpServerHealth } from '../records/mcp-server.js';
import { Member } from '../records/member.js';
import { DreamStatus, Memory, MemoryId, MemoryNote, MemoryPart } from '../records/memory.js';
import { Message } from '../records/message.js';
import { Observation, ObservationSource } from '../records/observation.js';
import {
  Project,
  ProjectId,
  ProjectMemberId,
  ProjectStatus,
  ProjectTask,
  ProjectTaskStatus,
} from '../records/project.js';
import { ReadCursor, SearchHit } from '../records/reading.js';
import { Run } from '../records/run.js';
import { Schedule } from '../records/schedule.js';
import { Session, WorkspacePath } from '../records/session.js';
import { Stimulus, StimulusState } from '../records/stimulus.js';
import { Task, TaskKindName, TaskStatus } from '../records/task.js';
import { ThreadWork } from '../records/thread-work.js';
import { Lease, StampedDecision } from '../records/turn.js';
import { WorkKind } from '../records/work.js';

/** Queries of the routes, and answers with several records. */
const limit = PageSize;

/** Pages are cut by position, so that concurrent posts neither skip nor repeat a row. */
export const ListChannels = z.strictObject({
  query: z.string().max(LIMITS.searchChars).optional(),
  archived: z.enum(INCLUSIONS).default('exclude'),
  after: ChannelId.optional(),
  limit,
});
export const ChannelPage = z.strictObject({
  channels: z.array(Channel),
  nextAfter: ChannelId.optional(),
});

/** `scope=feed` lists root messages; `before` pages back, `after` and `postedSince` forward; all in log order. */
export const ListMessages = z.strictObject({
  threadRootMessageId: MessageId.optional(),
  scope: z.enum(['all', 'feed']).default('all'),
  before: Seq.optional(),
  after: Seq.optional(),
  /** Begins with the first message that was posted at this time or later. */
  postedSince: EpochMs.optional(),
  limit,
});
export const MessagePage = z.strictObject({ messages: z.array(Message), hasMore: z.boolean() });
export type MessagePage = z.infer<typeof MessagePage>;

export const MemberList = z.strictObject({ members: z.array(Member) });
export const CredentialList = z.strictObject({ tokens: z.array(Credential) });
export const UnreadList = z.strictObject({ cursors: z.array(ReadCursor) });

export const SearchQuery = z.strictObject({
  query: z.string().min(1).max(LIMITS.searchChars),
  channelId: ChannelId.optional(),
  limit: z.int().min(1).max(LIMITS.pageSize).default(20),
});
export const SearchAnswer = z.strictObject({ hits: z.array(SearchHit) });

export const ReadTopic = z.strictObject({ after: Seq.default(0), limit });
/** `oldest` is the first stored sequence; a reader behind it has a gap. */
export const TopicPage = z.strictObject({
  events: z.array(StampedEvent),
  head: Seq,
  oldest: Seq,
});

export const FollowQuery = z.strictObject({
  topic: z.union([z.string(), z.array(z.string()).max(LIMITS.topicsPerStream)]),
  after: z.string().optional(),
});

/** With a workspace, includes the agents defined in that directory; the caller must be allowed to work in it. */
export const AgentsQuery = z.strictObject({ workspace: WorkspacePath.optional() });
export const ListAgentsAnswer = z.strictObject({ agents: z.array(Agent) });
export const PutAgentQuery = z.strictObject({
  /** What happens if an agent has this id; `refuse` also holds for concurrent calls. */
  existing: z.enum(['replace', 'refuse']).default('replace'),
});

export const CreateAssetQuery = z.strictObject({ name: AssetName.optional() });

export const ListBoardsAnswer = z.strictObject({ boards: z.array(Board) });

export const ListMcpServersAnswer = z.strictObject({ servers: z.array(McpServerHealth) });

export const ListMemoriesQuery = z.strictObject({
  namespace: Memory.shape.namespace.max(LIMITS.titleChars).optional(),
  before: MemoryId.optional(),
  limit,
});
export const ListMemoriesAnswer = z.strictObject({
  memories: z.array(Memory),
  nextBefore: MemoryId.optional(),
});
export const ListNotesQuery = z.strictObject({ before: Seq.optional(), limit });
export const ListNotesAnswer = z.strictObject({
  notes: z.array(MemoryNote),
  nextBefore: Seq.optional(),
});
export const DeleteMemoryFileQuery = z.strictObject({ part: MemoryPart.default('shared') });
export const GetDreamStatusAnswer = z.strictObject({ dreams: z.array(DreamStatus) });
export const StartDreamRequest = z.strictObject({ part: MemoryPart.optional() });

export const ListObservationSourcesQuery = z.strictObject({ channelId: ChannelId });
export const ListObservationSourcesAnswer = z.strictObject({ sources: z.array(ObservationSource) });
export const ListObservationsQuery = z.strictObject({
  limit: z.int().min(1).max(LIMITS.observationsPerSource).default(50),
});
export const ListObservationsAnswer = z.strictObject({ observations: z.array(Observation) });
export const ObserveHeaders = z.strictObject({
  /** `t=<seconds since 1970>,v1=<HMAC-SHA256 of t, a point and the body, in hex>` */
  'Stoa-Signature': z.string(),
  /** Chosen by the sender; a delivery is accepted once. */
  'Stoa-Delivery': z.string().max(200),
});

export const CreateBackupRequest = z.strictObject({
  directory: z.string().min(1).max(4096).optional(),
});

export const ListProjectsQuery = z.strictObject({
  query: z.string().max(LIMITS.searchChars).optional(),
  status: ProjectStatus.optional(),
  memberSessionId: SessionId.optional(),
  channelId: ChannelId.optional(),
  after: ProjectId.optional(),
  limit,
});
export const ListProjectsAnswer = z.strictObject({
  projects: z.array(Project),
  nextAfter: ProjectId.optional(),
});
export const ListProjectTasksQuery = z.strictObject({
  status: ProjectTaskStatus.optional(),
  assigneeMemberId: ProjectMemberId.optional(),
  after: ProjectTaskId.optional(),
  limit,
});
export const ListProjectTasksAnswer = z.strictObject({
  tasks: z.array(ProjectTask),
  nextAfter: ProjectTaskId.optional(),
});

export const ListSessionsQuery = z.strictObject({
  agentId: AgentId.optional(),
  ended: z.enum(INCLUSIONS).default('exclude'),
  before: SessionId.optional(),
  limit,
});
export const ListSessionsAnswer = z.strictObject({
  sessions: z.array(Session),
  nextBefore: SessionId.optional(),
});
export const ListInboxQuery = z.strictObject({
  state: InboxItemState.optional(),
  kind: WorkKind.optional(),
  before: Seq.optional(),
  limit,
});
export const ListInboxAnswer = z.strictObject({
  items: z.array(InboxItem),
  nextBefore: Seq.optional(),
});
export const ReadJournalQuery = z.strictObject({ after: Seq.default(0), limit });
export const ReadJournalAnswer = z.strictObject({
  entries: z.array(StampedEvent),
  nextAfter: Seq.optional(),
});
export const ListRunsQuery = z.strictObject({ before: RunId.optional(), limit });
export const ListRunsAnswer = z.strictObject({ runs: z.array(Run), nextBefore: RunId.optional() });
export const ListApprovalsQuery = z.strictObject({
  state: ApprovalState.optional(),
  sessionId: SessionId.optional(),
  before: ApprovalId.optional(),
  limit,
});
export const ListApprovalsAnswer = z.strictObject({
  approvals: z.array(Approval),
  nextBefore: ApprovalId.optional(),
});
export const ListSchedulesQuery = z.strictObject({
  sessionId: SessionId.optional(),
  before: ScheduleId.optional(),
  limit,
});
export const ListSchedulesAnswer = z.strictObject({
  schedules: z.array(Schedule),
  nextBefore: ScheduleId.optional(),
});

export const ListStimuliQuery = z.strictObject({
  state: StimulusState.optional(),
  threadRootMessageId: MessageId.optional(),
  before: Seq.optional(),
  limit,
});
export const ListStimuliAnswer = z.strictObject({
  stimuli: z.array(Stimulus),
  nextBefore: Seq.optional(),
});
export const ListThreadWorkQuery = z.strictObject({
  state: z.enum(['open', 'all']).default('all'),
  threadRootMessageId: MessageId.optional(),
  before: MessageId.optional(),
  limit,
});
export const ListThreadWorkAnswer = z.strictObject({
  work: z.array(ThreadWork),
  nextBefore: MessageId.optional(),
});

/** A position in the list of tasks. */
const TaskCursor = z.string().regex(/^[01]\.\d{1,16}\.tsk_[0-9a-z]{26}$/);
export const ListTasksQuery = z.strictObject({
  sessionId: SessionId.optional(),
  kind: TaskKindName.optional(),
  status: TaskStatus.optional(),
  before: TaskCursor.optional(),
  limit,
});
export const ListTasksAnswer = z.strictObject({
  tasks: z.array(Task),
  nextBefore: TaskCursor.optional(),
});
export const ReadTaskOutputQuery = z.strictObject({
  offset: z.int().min(0).default(0),
  limit: z.int().min(4).max(LIMITS.taskOutputBytes).default(65_536),
  waitMs: z.int().min(0).max(LIMITS.taskWaitMs).default(0),
});
export const StopTasksAnswer = z.strictObject({ tasks: z.array(Task) });

export const ListLeasesQuery = z.strictObject({
  state: z.enum(['live', 'all']).default('live'),
  limit,
});
export const ListLeasesAnswer = z.strictObject({ leases: z.array(Lease) });
export const ListDecisionsQuery = z.strictObject({
  before: Seq.optional(),
  limit: z.int().min(1).max(LIMITS.decisionsPerPage).default(20),
});
export const ListDecisionsAnswer = z.strictObject({
  decisions: z.array(StampedDecision),
  nextBefore: Seq.optional(),
});

/** A part of a path that is not an id of the contract. */
export const PathSegment = z.string().min(1).max(200);
export const LoginQuery = z.strictObject({ code: z.string().max(200) });
