export { type BrowserLoginPorts, browserLogin, type LoginKey } from './access/browser-login.js';
export type { CallerCredential } from './access/caller-credential.js';
export type { Sign } from './access/daemon-proof.js';
export type { AccessApi, FreshCallOptions, TokensApi } from './api/access.js';
export type { AgentsApi } from './api/agents.js';
export type { ApprovalPage, ApprovalsApi } from './api/approvals.js';
export { ASSET_BYTES, type AssetsApi, ITEMS_PER_MESSAGE, type PinsApi } from './api/assets.js';
export type { BoardsApi } from './api/boards.js';
export type { ChannelPage, ChannelsApi } from './api/channels.js';
export type { MembersApi } from './api/members.js';
export type { MemoriesApi, MemoryFilesAnswer, MemoryPage, NotePage } from './api/memories.js';
export type { MessagesApi } from './api/messages.js';
export type { ObservationsApi, SendObservationOptions } from './api/observations.js';
export type { OperationsApi } from './api/operations.js';
export type { ProjectPage, ProjectsApi, ProjectTasksApi, TaskPage } from './api/projects.js';
export type { CursorApi, ReadingApi, TopicPage, TopicsApi } from './api/reading.js';
export type { SchedulePage, SchedulesApi } from './api/schedules.js';
export type {
  InboxPage,
  ItemsApi,
  JournalPage,
  RunPage,
  RunsApi,
  SessionPage,
  SessionsApi,
} from './api/sessions.js';
export type { StimuliApi, StimulusPage, ThreadWorkPage } from './api/stimuli.js';
export type { BackgroundTaskPage, TasksApi } from './api/tasks.js';
export type { DecisionPage, TurnsApi } from './api/turns.js';
export type { UsageApi } from './api/usage.js';
export { type ArgumentText, argumentsInLines, argumentTexts } from './approvals/argument-texts.js';
export { type Client, type ClientOptions, createClient } from './client.js';
export type { CallOptions, KeyedCallOptions } from './http/caller.js';
export type { RetryPolicy } from './http/retry.js';
export {
  ConnectionLost,
  type Transport,
  type TransportAnswer,
  type TransportRequest,
} from './http/transport.js';
export type {
  Draft,
  DraftEnded,
  FollowItem,
  FollowItemOf,
  FollowNotice,
  Gap,
  SessionItem,
  TextChunk,
} from './live/follow-item.js';
export { LiveDrafts, type Writing } from './live/live-drafts.js';
export { LiveText, type TextChange } from './live/live-text.js';
export type { OpenSocket, Socket, SocketHandlers } from './live/socket.js';
export type { FollowOptions } from './live/stream.js';
export { StoaProblem } from './problem.js';
export { inOrderOfRuns, type OrderOfRuns } from './sessions/order-of-runs.js';
export { mcpLabel, pillLabel } from './tasks/pill.js';
export type { DetailLine, TaskPresenter } from './tasks/presenter.js';
export { TaskPresenters, taskPresenters } from './tasks/presenters.js';
export {
  type TaskDetail,
  type TaskRow,
  type TaskSection,
  taskDetail,
  taskRow,
  taskSections,
} from './tasks/task-row.js';
export {
  type CandidateWords,
  type DecisionReader,
  type DecisionWords,
  decisionWords,
  leaseHolders,
  verdictsOn,
  verdictWords,
} from './turns/decision-words.js';
export { outcomeLines } from './turns/outcome-lines.js';
export { leaseOutcomeWords, turnOutcomeWords } from './turns/outcome-words.js';
export { requestWords, senderWords } from './turns/request-words.js';
export { decisionBehind, type WaitingThread, waitingWords } from './turns/waiting-words.js';
