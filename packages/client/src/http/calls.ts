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
  | 'logIn'
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

const call = <M extends string, P extends string, R extends Repeat>(
  method: M,
  path: P,
  repeat: R,
) => ({ method, path, repeat }) as const;
/** Who only reads may read again. */
const get = <P extends string>(path: P) => call('GET', path, 'always');

/**
 * Method and path of each call, checked by the compiler against the contract: the contract itself
 * carries its schemas and would load them into every browser and every command.
 */
export const CALLS = {
  status: get('/v1/status'),
  whoami: get('/v1/whoami'),
  logout: call('POST', '/v1/logout', 'never'),
  proveDaemon: call('POST', '/v1/daemon-proofs', 'never'),
  grantAccess: call('POST', '/v1/access-tokens', 'never'),
  createLoginCode: call('POST', '/v1/login-codes', 'always'),
  listTokens: get('/v1/tokens'),
  mintToken: call('POST', '/v1/tokens', 'never'),
  revokeToken: call('DELETE', '/v1/tokens/:credentialId', 'never'),
  listChannels: get('/v1/channels'),
  createChannel: call('POST', '/v1/channels', 'keyed'),
  getChannel: get('/v1/channels/:channelId'),
  updateChannel: call('PATCH', '/v1/channels/:channelId', 'never'),
  deleteChannel: call('DELETE', '/v1/channels/:channelId', 'never'),
  archiveChannel: call('POST', '/v1/channels/:channelId/archive', 'never'),
  unarchiveChannel: call('POST', '/v1/channels/:channelId/unarchive', 'never'),
  listMembers: get('/v1/channels/:channelId/members'),
  upsertMember: call('POST', '/v1/channels/:channelId/members', 'never'),
  removeMember: call('DELETE', '/v1/channels/:channelId/members/:memberId', 'never'),
  listLeases: get('/v1/channels/:channelId/leases'),
  listDecisions: get('/v1/channels/:channelId/threads/:messageId/decisions'),
  listStimuli: get('/v1/channels/:channelId/stimuli'),
  createStimulus: call('POST', '/v1/channels/:channelId/stimuli', 'keyed'),
  getStimulus: get('/v1/channels/:channelId/stimuli/:stimulusId'),
  cancelStimulus: call('POST', '/v1/channels/:channelId/stimuli/:stimulusId/cancel', 'never'),
  replayStimulus: call('POST', '/v1/channels/:channelId/stimuli/:stimulusId/replay', 'never'),
  listObservationSources: get('/v1/observation-sources'),
  createObservationSource: call('POST', '/v1/observation-sources', 'never'),
  getObservationSource: get('/v1/observation-sources/:sourceId'),
  updateObservationSource: call('PATCH', '/v1/observation-sources/:sourceId', 'never'),
  deleteObservationSource: call('DELETE', '/v1/observation-sources/:sourceId', 'never'),
  rotateObservationSecret: call('POST', '/v1/observation-sources/:sourceId/rotate', 'never'),
  listObservations: get('/v1/observation-sources/:sourceId/observations'),
  // Under the same delivery id it is taken once.
  observe: call('POST', '/v1/observations/:sourceId', 'always'),
  listThreadWork: get('/v1/channels/:channelId/thread-work'),
  updateThreadWork: call('PATCH', '/v1/channels/:channelId/thread-work/:messageId', 'never'),
  listMessages: get('/v1/channels/:channelId/messages'),
  postMessage: call('POST', '/v1/channels/:channelId/messages', 'keyed'),
  findMessage: get('/v1/messages/:messageId'),
  getMessage: get('/v1/channels/:channelId/messages/:messageId'),
  editMessage: call('PATCH', '/v1/channels/:channelId/messages/:messageId', 'never'),
  deleteMessage: call('DELETE', '/v1/channels/:channelId/messages/:messageId', 'never'),
  setReaction: call('POST', '/v1/channels/:channelId/messages/:messageId/reactions', 'always'),
  unsetReaction: call('DELETE', '/v1/channels/:channelId/messages/:messageId/reactions', 'always'),
  pinAsset: call('PUT', '/v1/channels/:channelId/pins/:assetId', 'always'),
  unpinAsset: call('DELETE', '/v1/channels/:channelId/pins/:assetId', 'never'),
  getCursor: get('/v1/channels/:channelId/cursor'),
  moveCursor: call('PUT', '/v1/channels/:channelId/cursor', 'always'),
  listUnread: get('/v1/unread'),
  search: get('/v1/search'),
  createAsset: call('POST', '/v1/assets', 'never'),
  getAsset: get('/v1/assets/:assetId'),
  readAsset: get('/v1/assets/:assetId/raw'),
  deleteAsset: call('DELETE', '/v1/assets/:assetId', 'never'),
  listAgents: get('/v1/agents'),
  getAgent: get('/v1/agents/:agentId'),
  putAgent: call('PUT', '/v1/agents/:agentId', 'always'),
  deleteAgent: call('DELETE', '/v1/agents/:agentId', 'never'),
  setNickname: call('PUT', '/v1/agents/:agentId/nickname', 'always'),
  listSessions: get('/v1/sessions'),
  createSession: call('POST', '/v1/sessions', 'keyed'),
  getSession: get('/v1/sessions/:sessionId'),
  updateSession: call('PATCH', '/v1/sessions/:sessionId', 'never'),
  refreshSession: call('POST', '/v1/sessions/:sessionId/refresh', 'never'),
  clearSession: call('POST', '/v1/sessions/:sessionId/clear', 'never'),
  endSession: call('POST', '/v1/sessions/:sessionId/end', 'never'),
  submitItem: call('POST', '/v1/sessions/:sessionId/inbox', 'keyed'),
  listInbox: get('/v1/sessions/:sessionId/inbox'),
  getItem: get('/v1/inbox/:itemId'),
  replayItem: call('POST', '/v1/inbox/:itemId/replay', 'never'),
  sendMailboxMessage: call('POST', '/v1/sessions/:sessionId/mailbox', 'keyed'),
  readJournal: get('/v1/sessions/:sessionId/journal'),
  listRuns: get('/v1/sessions/:sessionId/runs'),
  getRun: get('/v1/runs/:runId'),
  cancelRun: call('POST', '/v1/runs/:runId/cancel', 'always'),
  listApprovals: get('/v1/approvals'),
  getApproval: get('/v1/approvals/:approvalId'),
  answerApproval: call('POST', '/v1/approvals/:approvalId/answer', 'never'),
  listTasks: get('/v1/tasks'),
  getTask: get('/v1/tasks/:taskId'),
  readTaskOutput: get('/v1/tasks/:taskId/output'),
  stopTask: call('POST', '/v1/tasks/:taskId/stop', 'never'),
  messageTask: call('POST', '/v1/tasks/:taskId/message', 'never'),
  promoteTask: call('POST', '/v1/tasks/:taskId/promote', 'never'),
  resumeTask: call('POST', '/v1/tasks/:taskId/resume', 'never'),
  promoteOnlyTask: call('POST', '/v1/sessions/:sessionId/promote', 'never'),
  stopTasks: call('POST', '/v1/sessions/:sessionId/tasks/stop', 'always'),
  listSchedules: get('/v1/schedules'),
  createSchedule: call('POST', '/v1/schedules', 'keyed'),
  getSchedule: get('/v1/schedules/:scheduleId'),
  pauseSchedule: call('POST', '/v1/schedules/:scheduleId/pause', 'always'),
  resumeSchedule: call('POST', '/v1/schedules/:scheduleId/resume', 'always'),
  triggerSchedule: call('POST', '/v1/schedules/:scheduleId/trigger', 'never'),
  endSchedule: call('DELETE', '/v1/schedules/:scheduleId', 'never'),
  listMemories: get('/v1/memories'),
  listNotes: get('/v1/memories/:memoryId/notes'),
  deleteNote: call('DELETE', '/v1/memories/:memoryId/notes/:noteId', 'never'),
  listMemoryFiles: get('/v1/memories/:memoryId/files'),
  putMemoryFile: call('PUT', '/v1/memories/:memoryId/files/:name', 'always'),
  deleteMemoryFile: call('DELETE', '/v1/memories/:memoryId/files/:name', 'never'),
  getDreamStatus: get('/v1/memories/:memoryId/dream'),
  startDream: call('POST', '/v1/memories/:memoryId/dream', 'never'),
  clearMemory: call('DELETE', '/v1/memories/:memoryId', 'always'),
  listBoards: get('/v1/sessions/:sessionId/boards'),
  createBoard: call('POST', '/v1/sessions/:sessionId/boards', 'keyed'),
  getBoard: get('/v1/sessions/:sessionId/boards/:boardId'),
  reviseBoard: call('POST', '/v1/sessions/:sessionId/boards/:boardId/revisions', 'keyed'),
  deleteBoard: call('DELETE', '/v1/sessions/:sessionId/boards/:boardId', 'never'),
  listProjects: get('/v1/projects'),
  createProject: call('POST', '/v1/projects', 'keyed'),
  getProject: get('/v1/projects/:projectId'),
  updateProject: call('PATCH', '/v1/projects/:projectId', 'never'),
  deleteProject: call('DELETE', '/v1/projects/:projectId', 'never'),
  upsertProjectMember: call('POST', '/v1/projects/:projectId/members', 'never'),
  removeProjectMember: call('DELETE', '/v1/projects/:projectId/members/:memberId', 'never'),
  linkChannel: call('PUT', '/v1/projects/:projectId/channels/:channelId', 'always'),
  unlinkChannel: call('DELETE', '/v1/projects/:projectId/channels/:channelId', 'never'),
  listProjectTasks: get('/v1/projects/:projectId/tasks'),
  createProjectTask: call('POST', '/v1/projects/:projectId/tasks', 'keyed'),
  getProjectTask: get('/v1/projects/:projectId/tasks/:taskId'),
  updateProjectTask: call('PATCH', '/v1/projects/:projectId/tasks/:taskId', 'never'),
  deleteProjectTask: call('DELETE', '/v1/projects/:projectId/tasks/:taskId', 'never'),
  startProjectTask: call('POST', '/v1/projects/:projectId/tasks/:taskId/start', 'keyed'),
  usage: get('/v1/usage'),
  listMcpServers: get('/v1/mcp-servers'),
  readTopic: get('/v1/topics/:topic/events'),
  createBackup: call('POST', '/v1/backups', 'never'),
  checkIntegrity: call('POST', '/v1/checks', 'always'),
} as const satisfies { [K in CallId]: Call<Routes[K]> };

export const STREAM_PATH: Routes['stream']['path'] = '/v1/stream';
