import { agentFor, parseEntry } from '@stoa/core';
import {
  type ACCESS_ROUTES,
  type AGENTS_ROUTES,
  type ASSETS_ROUTES,
  actorIdOf,
  type BOARDS_ROUTES,
  type BROWSER_ROUTES,
  type CHANNELS_ROUTES,
  type LIVE_ROUTES,
  type MCP_ROUTES,
  type MEMBERS_ROUTES,
  type MEMORY_ROUTES,
  type MESSAGES_ROUTES,
  type OBSERVATIONS_ROUTES,
  type OPERATIONS_ROUTES,
  type PROJECTS_ROUTES,
  type READING_ROUTES,
  type SESSIONS_ROUTES,
  type STIMULI_ROUTES,
  StoaError,
  type TASKS_ROUTES,
  type TURNS_ROUTES,
} from '@stoa/protocol';
import type { HandlerPorts, HandlersOf } from './handler.js';
import { deliveryOf } from './observing.js';

/* What each JSON route does: one call into the domain. */

export function accessHandlers({
  core: { credentials, loginCodes, proofs },
  loginUrl,
  isOwnHost,
}: HandlerPorts): HandlersOf<typeof ACCESS_ROUTES> {
  /** Otherwise a proof could be forwarded to somebody who confuses this daemon with another server. */
  const assertOwnHost = (host: string): void => {
    if (!isOwnHost(host)) {
      throw new StoaError('host_not_allowed', `This daemon is not addressed as ${host}`);
    }
  };
  return {
    whoami: ({ by }) => credentials.whoami(by),
    async createLoginCode({ by }) {
      const { code, expiresAt } = await loginCodes.create(by);
      return { code, expiresAt, url: loginUrl(code) };
    },
    proveDaemon({ body }) {
      assertOwnHost(body.host);
      return proofs.prove(body);
    },
    grantAccess({ body }) {
      assertOwnHost(body.host);
      return proofs.grant(body);
    },
    async logout({ by }) {
      const own = (await credentials.list()).find(
        ({ credentialId }) => by.kind === 'human' && credentialId === by.credentialId,
      );
      if (own?.kind !== 'browser')
        throw new StoaError('forbidden', 'Only a browser login can be logged out');
      await credentials.revoke(by, own.credentialId);
    },
    listTokens: async () => ({ tokens: await credentials.list() }),
    mintToken: ({ body }) => credentials.mint(body),
    revokeToken: ({ by, params }) => credentials.revoke(by, params.credentialId),
  };
}

export const agentHandlers = ({
  core: { agents },
}: HandlerPorts): HandlersOf<typeof AGENTS_ROUTES> => ({
  listAgents: async ({ by, query }) => ({ agents: await agents.listFor(by, query.workspace) }),
  getAgent: ({ by, params, query }) => agents.getFor(by, params.agentId, query.workspace),
  putAgent: ({ by, params, query, body }) =>
    agents.put(by, params.agentId, body, { existing: query.existing }),
  deleteAgent: ({ params }) => agents.delete(params.agentId),
  setNickname: async ({ by, params, body }) =>
    agentFor(by, await agents.setNickname(params.agentId, body.nickname)),
});

export const assetHandlers = ({
  core: { assets },
}: HandlerPorts): HandlersOf<typeof ASSETS_ROUTES> => ({
  createAsset: ({ by, query, body }) => assets.create(body, query.name, actorIdOf(by)),
  getAsset: ({ params }) => assets.get(params.assetId),
  deleteAsset: ({ by, params }) => assets.delete(by, params.assetId),
});

export const boardHandlers = ({
  core: { boards },
}: HandlerPorts): HandlersOf<typeof BOARDS_ROUTES> => ({
  listBoards: async ({ by, params }) => ({ boards: await boards.list(by, params.sessionId) }),
  createBoard: ({ by, params, body, key }) => boards.create(by, params.sessionId, body, key),
  getBoard: ({ by, params }) => boards.get(by, params.sessionId, params.boardId),
  reviseBoard: ({ by, params, body, key }) =>
    boards.revise(by, params.sessionId, params.boardId, body, key),
  deleteBoard: ({ by, params }) => boards.delete(by, params.sessionId, params.boardId),
});

export const browserHandlers = ({
  core: { loginCodes },
}: HandlerPorts): HandlersOf<typeof BROWSER_ROUTES> => ({
  logIn: ({ body }) => loginCodes.redeem(body),
});

export const channelHandlers = ({
  core: { channels },
}: HandlerPorts): HandlersOf<typeof CHANNELS_ROUTES> => ({
  listChannels: ({ query }) => channels.list(query),
  createChannel: ({ by, body, key }) => channels.create(by, body, key),
  getChannel: ({ by, params }) => channels.get(by, params.channelId),
  updateChannel: ({ by, params, body }) => channels.update(by, params.channelId, body),
  deleteChannel: ({ by, params }) => channels.delete(by, params.channelId),
  archiveChannel: ({ by, params }) => channels.archive(by, params.channelId),
  unarchiveChannel: ({ by, params }) => channels.unarchive(by, params.channelId),
  pinAsset: ({ by, params }) => channels.pin(by, params.channelId, params.assetId),
  unpinAsset: ({ by, params }) => channels.unpin(by, params.channelId, params.assetId),
});

export const liveHandlers = ({ core }: HandlerPorts): HandlersOf<typeof LIVE_ROUTES> => ({
  async readTopic({ by, params, query }) {
    const slice = await core.readTopic(by, params.topic, query.after, query.limit);
    return { events: slice.entries.map(parseEntry), head: slice.head, oldest: slice.oldest };
  },
});

export const mcpHandlers = ({ mcpServers }: HandlerPorts): HandlersOf<typeof MCP_ROUTES> => ({
  listMcpServers: async () => ({ servers: await mcpServers() }),
});

export const memberHandlers = ({
  core: { channels },
}: HandlerPorts): HandlersOf<typeof MEMBERS_ROUTES> => ({
  listMembers: async ({ by, params }) => ({
    members: await channels.members(by, params.channelId),
  }),
  upsertMember: ({ by, params, body }) => channels.upsertMember(by, params.channelId, body),
  removeMember: ({ by, params }) => channels.removeMember(by, params.channelId, params.memberId),
});

export const memoryHandlers = ({
  core: { memories, dreams },
}: HandlerPorts): HandlersOf<typeof MEMORY_ROUTES> => ({
  listMemories: ({ by, query }) => memories.list(by, query),
  listNotes: ({ by, params, query }) => memories.notes(by, params.memoryId, query),
  deleteNote: ({ by, params }) => memories.deleteNote(by, params.memoryId, params.noteId),
  listMemoryFiles: ({ by, params }) => memories.files(by, params.memoryId),
  putMemoryFile: ({ by, params, body }) =>
    memories.putFile(by, params.memoryId, {
      name: params.name,
      text: body.text,
      part: body.part ?? 'shared',
    }),
  deleteMemoryFile: ({ by, params, query }) =>
    memories.deleteFile(by, params.memoryId, { name: params.name, part: query.part }),
  getDreamStatus: async ({ by, params }) => ({
    dreams: await dreams.status(by, params.memoryId),
  }),
  startDream: ({ by, params, body }) => dreams.start(by, params.memoryId, body.part ?? 'shared'),
  clearMemory: ({ by, params }) => memories.clear(by, params.memoryId),
});

export function messageHandlers({ core }: HandlerPorts): HandlersOf<typeof MESSAGES_ROUTES> {
  const { channels } = core;
  return {
    listMessages: ({ by, params, query }) => channels.messages(by, params.channelId, query),
    async postMessage({ by, params, body, key }) {
      await core.assertMayPost(by, params.channelId);
      return channels.post(by, params.channelId, body, key);
    },
    findMessage: ({ by, params }) => channels.findMessage(by, params.messageId),
    getMessage: ({ by, params }) => channels.message(by, params.channelId, params.messageId),
    editMessage: ({ by, params, body }) =>
      channels.edit(by, params.channelId, params.messageId, body),
    deleteMessage: ({ by, params }) =>
      channels.deleteMessage(by, params.channelId, params.messageId),
    setReaction: ({ by, params, body }) =>
      channels.react(by, params.channelId, params.messageId, body),
    unsetReaction: ({ by, params, body }) =>
      channels.unreact(by, params.channelId, params.messageId, body),
  };
}

export const observationHandlers = ({
  core: { observations },
}: HandlerPorts): HandlersOf<typeof OBSERVATIONS_ROUTES> => ({
  listObservationSources: async ({ by, query }) => ({
    sources: await observations.list(by, query.channelId),
  }),
  createObservationSource: ({ by, body }) => observations.create(by, body),
  getObservationSource: ({ by, params }) => observations.get(by, params.sourceId),
  updateObservationSource: ({ by, params, body }) => observations.update(by, params.sourceId, body),
  deleteObservationSource: ({ by, params }) => observations.delete(by, params.sourceId),
  rotateObservationSecret: ({ by, params }) => observations.rotate(by, params.sourceId),
  listObservations: async ({ by, params, query }) => ({
    observations: await observations.observations(by, params.sourceId, query.limit),
  }),
  observe: ({ params, headers, body }) =>
    observations.receive(deliveryOf(params.sourceId, headers, body)),
});

export const operationHandlers = ({
  core,
  status,
  backup,
}: HandlerPorts): HandlersOf<typeof OPERATIONS_ROUTES> => ({
  status: () => status(),
  createBackup: ({ body }) => backup(body.directory),
  checkIntegrity: () => core.checkIntegrity(),
});

export const projectHandlers = ({
  core: { projects },
}: HandlerPorts): HandlersOf<typeof PROJECTS_ROUTES> => ({
  listProjects: ({ by, query }) => projects.list(by, query),
  createProject: ({ by, body, key }) => projects.create(by, body, key),
  getProject: ({ by, params }) => projects.get(by, params.projectId),
  updateProject: ({ by, params, body }) => projects.update(by, params.projectId, body),
  deleteProject: ({ by, params }) => projects.delete(by, params.projectId),
  upsertProjectMember: ({ by, params, body }) => projects.upsertMember(by, params.projectId, body),
  removeProjectMember: ({ by, params }) =>
    projects.removeMember(by, params.projectId, params.memberId),
  linkChannel: ({ by, params, body }) =>
    projects.link(by, params.projectId, params.channelId, body),
  unlinkChannel: ({ by, params }) => projects.unlink(by, params.projectId, params.channelId),
  listProjectTasks: ({ by, params, query }) => projects.tasks(by, params.projectId, query),
  createProjectTask: ({ by, params, body, key }) =>
    projects.createTask(by, params.projectId, body, key),
  getProjectTask: ({ by, params }) => projects.task(by, params.projectId, params.taskId),
  updateProjectTask: ({ by, params, body }) =>
    projects.updateTask(by, params.projectId, params.taskId, body),
  deleteProjectTask: ({ by, params }) => projects.deleteTask(by, params.projectId, params.taskId),
  startProjectTask: ({ by, params, body, key }) =>
    projects.startTask(by, params.projectId, params.taskId, body, key),
});

export const readingHandlers = ({
  core: { channels },
}: HandlerPorts): HandlersOf<typeof READING_ROUTES> => ({
  getCursor: ({ by, params }) => channels.cursor(by, params.channelId),
  moveCursor: ({ by, params, body }) => channels.moveCursor(by, params.channelId, body.readSeq),
  listUnread: async ({ by }) => ({ cursors: await channels.unread(by) }),
  search: async ({ by, query }) => ({ hits: await channels.search(by, query) }),
});

export const sessionHandlers = ({
  core: { sessions, inbox, mailbox, runs, approvals, schedules },
  currency,
}: HandlerPorts): HandlersOf<typeof SESSIONS_ROUTES> => ({
  listSessions: ({ by, query }) => sessions.list(by, query),
  createSession: ({ by, body, key }) => sessions.create(by, body, key),
  getSession: ({ by, params }) => sessions.get(by, params.sessionId),
  updateSession: ({ by, params, body }) => sessions.update(by, params.sessionId, body),
  refreshSession: ({ by, params }) => sessions.refresh(by, params.sessionId),
  clearSession: ({ by, params }) => sessions.clear(by, params.sessionId),
  endSession: ({ by, params }) => sessions.end(by, params.sessionId),
  submitItem: ({ by, params, body, key }) => inbox.submit(by, params.sessionId, body, key),
  listInbox: ({ by, params, query }) => inbox.list(by, params.sessionId, query),
  getItem: ({ by, params }) => inbox.get(by, params.itemId),
  replayItem: ({ by, params }) => inbox.replay(by, params.itemId),
  sendMailboxMessage: ({ by, params, body, key }) => mailbox.send(by, params.sessionId, body, key),
  readJournal: ({ by, params, query }) => runs.journal(by, params.sessionId, query),
  listRuns: ({ by, params, query }) => runs.list(by, params.sessionId, query),
  getRun: ({ by, params }) => runs.get(by, params.runId),
  cancelRun: ({ by, params }) => runs.cancel(by, params.runId),
  listApprovals: ({ by, query }) => approvals.list(by, query),
  getApproval: ({ by, params }) => approvals.get(by, params.approvalId),
  answerApproval: ({ by, params, body }) => approvals.answer(by, params.approvalId, body),
  listSchedules: ({ by, query }) => schedules.list(by, query),
  createSchedule: ({ by, body, key }) => schedules.create(by, body, key),
  getSchedule: ({ by, params }) => schedules.get(by, params.scheduleId),
  pauseSchedule: ({ by, params }) => schedules.pause(by, params.scheduleId),
  resumeSchedule: ({ by, params }) => schedules.resume(by, params.scheduleId),
  triggerSchedule: ({ by, params }) => schedules.trigger(by, params.scheduleId),
  endSchedule: ({ by, params }) => schedules.end(by, params.scheduleId),
  usage: ({ by, query }) => runs.usage(by, query, currency),
});

export const stimulusHandlers = ({
  core: { stimuli, threadWork },
}: HandlerPorts): HandlersOf<typeof STIMULI_ROUTES> => ({
  listStimuli: ({ by, params, query }) => stimuli.list(by, params.channelId, query),
  createStimulus: ({ by, params, body, key }) => stimuli.create(by, params.channelId, body, key),
  getStimulus: ({ by, params }) => stimuli.get(by, params.channelId, params.stimulusId),
  cancelStimulus: ({ by, params }) => stimuli.cancel(by, params.channelId, params.stimulusId),
  replayStimulus: ({ by, params }) => stimuli.replay(by, params.channelId, params.stimulusId),
  listThreadWork: ({ by, params, query }) => threadWork.list(by, params.channelId, query),
  updateThreadWork: ({ by, params, body }) =>
    threadWork.update(by, params.channelId, params.messageId, body),
});

export const taskHandlers = ({
  core: { tasks },
}: HandlerPorts): HandlersOf<typeof TASKS_ROUTES> => ({
  listTasks: ({ by, query }) => tasks.list(by, query),
  getTask: ({ by, params }) => tasks.get(by, params.taskId),
  readTaskOutput: ({ by, params, query }) => tasks.output(by, params.taskId, query),
  stopTask: ({ by, params }) => tasks.stop(by, params.taskId),
  messageTask: ({ by, params, body }) => tasks.send(by, params.taskId, body.text),
  async promoteTask({ by, params }) {
    const { sessionId, taskId } = await tasks.get(by, params.taskId);
    return tasks.promote(by, sessionId, taskId);
  },
  resumeTask: ({ by, params }) => tasks.resume(by, params.taskId),
  promoteOnlyTask: ({ by, params }) => tasks.promote(by, params.sessionId),
  stopTasks: async ({ by, params }) => ({ tasks: await tasks.stopAll(by, params.sessionId) }),
});

export const turnHandlers = ({
  core: { turns },
}: HandlerPorts): HandlersOf<typeof TURNS_ROUTES> => ({
  listLeases: async ({ by, params, query }) => ({
    leases: await turns.leases(by, params.channelId, query.state === 'live', query.limit),
  }),
  async listDecisions({ by, params, query: { before = Number.MAX_SAFE_INTEGER, limit } }) {
    const { channelId, messageId } = params;
    const page = { before, limit: limit + 1 };
    const found = await turns.decisions(by, channelId, messageId, page);
    const decisions = found.slice(0, limit);
    const nextBefore = found.length > limit ? decisions.at(-1)?.seq : undefined;
    return { decisions, ...(nextBefore === undefined ? {} : { nextBefore }) };
  },
});
