export { type BrowserLoginPorts, browserLogin, type LoginKey } from './access/browser-login.js';
export type { CallerCredential } from './access/caller-credential.js';
export type { Sign } from './access/daemon-proof.js';
export type { Api, FreshCallOptions, QueryFor } from './api.js';
export { type ArgumentText, argumentsInLines, argumentTexts } from './approvals/argument-texts.js';
export { type Client, type ClientOptions, createClient } from './client.js';
export type { Answer, CallId, CallOptions, KeyedCallOptions } from './http/caller.js';
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
export { inOrderOfRuns, type OrderOfRuns } from './order-of-runs.js';
export { StoaProblem } from './problem.js';
export { mcpLabel, pillLabel } from './tasks/pill.js';
export {
  type DetailLine,
  type TaskPresenter,
  TaskPresenters,
  taskPresenters,
} from './tasks/presenters.js';
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
export { leaseOutcomeWords, outcomeLines, turnOutcomeWords } from './turns/outcome-words.js';
export { requestWords, senderWords } from './turns/request-words.js';
export { decisionBehind, type WaitingThread, waitingWords } from './turns/waiting-words.js';
