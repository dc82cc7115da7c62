import type { ROUTES, Route, RouteId } from '@stoa/protocol';

export type Routes = typeof ROUTES;

/** The client calls everything but what belongs to browsers, to operators and to live streams. */
type NotCalled =
  | 'healthz'
  | 'readyz'
  | 'metrics'
  | 'home'
  | 'channelPage'
  | 'messagePage'
  | 'channelSettingsPage'
  | 'timelinePage'
  | 'sessionPage'
  | 'settingsPage'
  | 'settingsSectionPage'
  | 'usagePage'
  | 'webAsset'
  | 'login'
  | 'openapi'
  | 'events'
  | 'stream'
  | 'mcp'
  | 'mcpStream';
export type CallId = Exclude<RouteId, NotCalled>;

/**
 * May a call be made again when nobody knows whether it arrived? `always`: its effect is the same
 * however often it happens; `keyed`: yes, under the same idempotency key; `never`: the caller must
 * look first.
 */
export type Repeat = 'always' | 'keyed' | 'never';

interface Call<R extends Route> {
  readonly method: R['method'];
  readonly path: R['path'];
  readonly repeat: R extends { idempotent: true }
    ? 'keyed'
    : R extends { method: 'GET' }
      ? 'always'
      : 'always' | 'never';
}

/**
 * Method and path of each call, checked by the compiler against the contract: the contract itself
 * carries its schemas and would load them into every browser and every command.
 */
export const CALLS = {
  status: { method: 'GET', path: '/v1/status', repeat: 'always' },
  whoami: { method: 'GET', path: '/v1/whoami', repeat: 'always' },
  logout: { method: 'POST', path: '/v1/logout', repeat: 'never' },
  createLoginCode: { method: 'POST', path: '/v1/login-codes', repeat: 'always' },
  listTokens: { method: 'GET', path: '/v1/tokens', repeat: 'always' },
  mintToken: { method: 'POST', path: '/v1/tokens', repeat: 'never' },
  revokeToken: { method: 'DELETE', path: '/v1/tokens/:credentialId', repeat: 'never' },
  listChannels: { method: 'GET', path: '/v1/channels', repeat: 'always' },
  createChannel: { method: 'POST', path: '/v1/channels', repeat: 'keyed' },
  getChannel: { method: 'GET', path: '/v1/channels/:channelId', repeat: 'always' },
  updateChannel: { method: 'PATCH', path: '/v1/channels/:channelId', repeat: 'never' },
  deleteChannel: { method: 'DELETE', path: '/v1/channels/:channelId', repeat: 'never' },
  archiveChannel: { method: 'POST', path: '/v1/channels/:channelId/archive', repeat: 'never' },
  unarchiveChannel: { method: 'POST', path: '/v1/channels/:channelId/unarchive', repeat: 'never' },
  listMembers: { method: 'GET', path: '/v1/channels/:channelId/members', repeat: 'always' },
  upsertMember: { method: 'POST', path: '/v1/channels/:channelId/members', repeat: 'never' },
  removeMember: {
    method: 'DELETE',
    path: '/v1/channels/:channelId/members/:memberId',
    repeat: 'never',
  },
  listLeases: { method: 'GET', path: '/v1/channels/:channelId/leases', repeat: 'always' },
  listDecisions: {
    method: 'GET',
    path: '/v1/channels/:channelId/threads/:messageId/decisions',
    repeat: 'always',
  },
  listStimuli: { method: 'GET', path: '/v1/channels/:channelId/stimuli', repeat: 'always' },
  createStimulus: { method: 'POST', path: '/v1/channels/:channelId/stimuli', repeat: 'keyed' },
  getStimulus: {
    method: 'GET',
    path: '/v1/channels/:channelId/stimuli/:stimulusId',
    repeat: 'always',
  },
  cancelStimulus: {
    method: 'POST',
    path: '/v1/channels/:channelId/stimuli/:stimulusId/cancel',
    repeat: 'never',
  },
  replayStimulus: {
    method: 'POST',
    path: '/v1/channels/:channelId/stimuli/:stimulusId/replay',
    repeat: 'never',
  },
  listObservationSources: {
    method: 'GET',
    path: '/v1/observation-sources',
    repeat: 'always',
  },
  createObservationSource: {
    method: 'POST',
    path: '/v1/observation-sources',
    repeat: 'never',
  },
  getObservationSource: {
    method: 'GET',
    path: '/v1/observation-sources/:sourceId',
    repeat: 'always',
  },
  updateObservationSource: {
    method: 'PATCH',
    path: '/v1/observation-sources/:sourceId',
    repeat: 'never',
  },
  deleteObservationSource: {
    method: 'DELETE',
    path: '/v1/observation-sources/:sourceId',
    repeat: 'never',
  },
  rotateObservationSecret: {
    method: 'POST',
    path: '/v1/observation-sources/:sourceId/rotate',
    repeat: 'never',
  },
  listObservations: {
    method: 'GET',
    path: '/v1/observation-sources/:sourceId/observations',
    repeat: 'always',
  },
  // Under the same delivery id it is taken once.
  observe: { method: 'POST', path: '/v1/observations/:sourceId', repeat: 'always' },
  listThreadWork: { method: 'GET', path: '/v1/channels/:channelId/thread-work', repeat: 'always' },
  updateThreadWork: {
    method: 'PATCH',
    path: '/v1/channels/:channelId/thread-work/:messageId',
    repeat: 'never',
  },
  listMessages: { method: 'GET', path: '/v1/channels/:channelId/messages', repeat: 'always' },
  postMessage: { method: 'POST', path: '/v1/channels/:channelId/messages', repeat: 'keyed' },
  findMessage: { method: 'GET', path: '/v1/messages/:messageId', repeat: 'always' },
  getMessage: {
    method: 'GET',
    path: '/v1/channels/:channelId/messages/:messageId',
    repeat: 'always',
  },
  editMessage: {
    method: 'PATCH',
    path: '/v1/channels/:channelId/messages/:messageId',
    repeat: 'never',
  },
  deleteMessage: {
    method: 'DELETE',
    path: '/v1/channels/:channelId/messages/:messageId',
    repeat: 'never',
  },
  setReaction: {
    method: 'POST',
    path: '/v1/channels/:channelId/messages/:messageId/reactions',
    repeat: 'always',
  },
  unsetReaction: {
    method: 'DELETE',
    path: '/v1/channels/:channelId/messages/:messageId/reactions',
    repeat: 'always',
  },
  pinAsset: { method: 'PUT', path: '/v1/channels/:channelId/pins/:assetId', repeat: 'always' },
  unpinAsset: { method: 'DELETE', path: '/v1/channels/:channelId/pins/:assetId', repeat: 'never' },
  getCursor: { method: 'GET', path: '/v1/channels/:channelId/cursor', repeat: 'always' },
  moveCursor: { method: 'PUT', path: '/v1/channels/:channelId/cursor', repeat: 'always' },
  listUnread: { method: 'GET', path: '/v1/unread', repeat: 'always' },
  search: { method: 'GET', path: '/v1/search', repeat: 'always' },
  createAsset: { method: 'POST', path: '/v1/assets', repeat: 'never' },
  getAsset: { method: 'GET', path: '/v1/assets/:assetId', repeat: 'always' },
  readAsset: { method: 'GET', path: '/v1/assets/:assetId/raw', repeat: 'always' },
  deleteAsset: { method: 'DELETE', path: '/v1/assets/:assetId', repeat: 'never' },
  listAgents: { method: 'GET', path: '/v1/agents', repeat: 'always' },
  getAgent: { method: 'GET', path: '/v1/agents/:agentId', repeat: 'always' },
  putAgent: { method: 'PUT', path: '/v1/agents/:agentId', repeat: 'always' },
  deleteAgent: { method: 'DELETE', path: '/v1/agents/:agentId', repeat: 'never' },
  setNickname: { method: 'PUT', path: '/v1/agents/:agentId/nickname', repeat: 'always' },
  listSessions: { method: 'GET', path: '/v1/sessions', repeat: 'always' },
  createSession: { method: 'POST', path: '/v1/sessions', repeat: 'keyed' },
  getSession: { method: 'GET', path: '/v1/sessions/:sessionId', repeat: 'always' },
  updateSession: { method: 'PATCH', path: '/v1/sessions/:sessionId', repeat: 'never' },
  refreshSession: { method: 'POST', path: '/v1/sessions/:sessionId/refresh', repeat: 'never' },
  clearSession: { method: 'POST', path: '/v1/sessions/:sessionId/clear', repeat: 'never' },
  endSession: { method: 'POST', path: '/v1/sessions/:sessionId/end', repeat: 'never' },
  submitItem: { method: 'POST', path: '/v1/sessions/:sessionId/inbox', repeat: 'keyed' },
  listInbox: { method: 'GET', path: '/v1/sessions/:sessionId/inbox', repeat: 'always' },
  getItem: { method: 'GET', path: '/v1/inbox/:itemId', repeat: 'always' },
  replayItem: { method: 'POST', path: '/v1/inbox/:itemId/replay', repeat: 'never' },
  sendMailboxMessage: { method: 'POST', path: '/v1/sessions/:sessionId/mailbox', repeat: 'keyed' },
  readJournal: { method: 'GET', path: '/v1/sessions/:sessionId/journal', repeat: 'always' },
  listRuns: { method: 'GET', path: '/v1/sessions/:sessionId/runs', repeat: 'always' },
  getRun: { method: 'GET', path: '/v1/runs/:runId', repeat: 'always' },
  cancelRun: { method: 'POST', path: '/v1/runs/:runId/cancel', repeat: 'always' },
  listApprovals: { method: 'GET', path: '/v1/approvals', repeat: 'always' },
  getApproval: { method: 'GET', path: '/v1/approvals/:approvalId', repeat: 'always' },
  answerApproval: { method: 'POST', path: '/v1/approvals/:approvalId/answer', repeat: 'never' },
  listTasks: { method: 'GET', path: '/v1/tasks', repeat: 'always' },
  getTask: { method: 'GET', path: '/v1/tasks/:taskId', repeat: 'always' },
  readTaskOutput: { method: 'GET', path: '/v1/tasks/:taskId/output', repeat: 'always' },
  stopTask: { method: 'POST', path: '/v1/tasks/:taskId/stop', repeat: 'never' },
  messageTask: { method: 'POST', path: '/v1/tasks/:taskId/message', repeat: 'never' },
  promoteTask: { method: 'POST', path: '/v1/tasks/:taskId/promote', repeat: 'never' },
  resumeTask: { method: 'POST', path: '/v1/tasks/:taskId/resume', repeat: 'never' },
  promoteOnlyTask: {
    method: 'POST',
    path: '/v1/sessions/:sessionId/promote',
    repeat: 'never',
  },
  stopTasks: { method: 'POST', path: '/v1/sessions/:sessionId/tasks/stop', repeat: 'always' },
  listSchedules: { method: 'GET', path: '/v1/schedules', repeat: 'always' },
  createSchedule: { method: 'POST', path: '/v1/schedules', repeat: 'keyed' },
  getSchedule: { method: 'GET', path: '/v1/schedules/:scheduleId', repeat: 'always' },
  pauseSchedule: { method: 'POST', path: '/v1/schedules/:scheduleId/pause', repeat: 'always' },
  resumeSchedule: { method: 'POST', path: '/v1/schedules/:scheduleId/resume', repeat: 'always' },
  triggerSchedule: { method: 'POST', path: '/v1/schedules/:scheduleId/trigger', repeat: 'never' },
  endSchedule: { method: 'DELETE', path: '/v1/schedules/:scheduleId', repeat: 'never' },
  listMemories: { method: 'GET', path: '/v1/memories', repeat: 'always' },
  listNotes: { method: 'GET', path: '/v1/memories/:memoryId/notes', repeat: 'always' },
  deleteNote: {
    method: 'DELETE',
    path: '/v1/memories/:memoryId/notes/:noteId',
    repeat: 'never',
  },
  listMemoryFiles: { method: 'GET', path: '/v1/memories/:memoryId/files', repeat: 'always' },
  putMemoryFile: { method: 'PUT', path: '/v1/memories/:memoryId/files/:name', repeat: 'always' },
  deleteMemoryFile: {
    method: 'DELETE',
    path: '/v1/memories/:memoryId/files/:name',
    repeat: 'never',
  },
  getDreamStatus: { method: 'GET', path: '/v1/memories/:memoryId/dream', repeat: 'always' },
  startDream: { method: 'POST', path: '/v1/memories/:memoryId/dream', repeat: 'never' },
  clearMemory: { method: 'DELETE', path: '/v1/memories/:memoryId', repeat: 'always' },
  listBoards: { method: 'GET', path: '/v1/sessions/:sessionId/boards', repeat: 'always' },
  createBoard: { method: 'POST', path: '/v1/sessions/:sessionId/boards', repeat: 'keyed' },
  getBoard: { method: 'GET', path: '/v1/sessions/:sessionId/boards/:boardId', repeat: 'always' },
  reviseBoard: {
    method: 'POST',
    path: '/v1/sessions/:sessionId/boards/:boardId/revisions',
    repeat: 'keyed',
  },
  deleteBoard: {
    method: 'DELETE',
    path: '/v1/sessions/:sessionId/boards/:boardId',
    repeat: 'never',
  },
  listProjects: { method: 'GET', path: '/v1/projects', repeat: 'always' },
  createProject: { method: 'POST', path: '/v1/projects', repeat: 'keyed' },
  getProject: { method: 'GET', path: '/v1/projects/:projectId', repeat: 'always' },
  updateProject: { method: 'PATCH', path: '/v1/projects/:projectId', repeat: 'never' },
  deleteProject: { method: 'DELETE', path: '/v1/projects/:projectId', repeat: 'never' },
  upsertProjectMember: { method: 'POST', path: '/v1/projects/:projectId/members', repeat: 'never' },
  removeProjectMember: {
    method: 'DELETE',
    path: '/v1/projects/:projectId/members/:memberId',
    repeat: 'never',
  },
  linkChannel: {
    method: 'PUT',
    path: '/v1/projects/:projectId/channels/:channelId',
    repeat: 'always',
  },
  unlinkChannel: {
    method: 'DELETE',
    path: '/v1/projects/:projectId/channels/:channelId',
    repeat: 'never',
  },
  listProjectTasks: { method: 'GET', path: '/v1/projects/:projectId/tasks', repeat: 'always' },
  createProjectTask: { method: 'POST', path: '/v1/projects/:projectId/tasks', repeat: 'keyed' },
  getProjectTask: {
    method: 'GET',
    path: '/v1/projects/:projectId/tasks/:taskId',
    repeat: 'always',
  },
  updateProjectTask: {
    method: 'PATCH',
    path: '/v1/projects/:projectId/tasks/:taskId',
    repeat: 'never',
  },
  deleteProjectTask: {
    method: 'DELETE',
    path: '/v1/projects/:projectId/tasks/:taskId',
    repeat: 'never',
  },
  startProjectTask: {
    method: 'POST',
    path: '/v1/projects/:projectId/tasks/:taskId/start',
    repeat: 'keyed',
  },
  usage: { method: 'GET', path: '/v1/usage', repeat: 'always' },
  listMcpServers: { method: 'GET', path: '/v1/mcp-servers', repeat: 'always' },
  readTopic: { method: 'GET', path: '/v1/topics/:topic/events', repeat: 'always' },
  createBackup: { method: 'POST', path: '/v1/backups', repeat: 'never' },
  checkIntegrity: { method: 'POST', path: '/v1/checks', repeat: 'always' },
} as const satisfies { [K in CallId]: Call<Routes[K]> };

export const STREAM_PATH: Routes['stream']['path'] = '/v1/stream';
