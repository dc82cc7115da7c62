import { type Principal, StoaError } from '@stoa/protocol';
import type { SessionTokens } from '../access/session-tokens.js';
import type { Assets } from '../assets/assets.js';
import type { Channels } from '../channels/channels.js';
import type { StoreWait } from '../kernel/store-wait.js';
import type { Mailbox } from '../mailbox/mailbox.js';
import type { ActingRun, ChannelActions, RunActions, ThreadPart } from '../runs/run-actions.js';
import type { Schedules } from '../schedules/schedules.js';
import type { Stimuli } from '../stimuli/stimuli.js';
import type { SubAgents } from '../subagents/sub-agents.js';
import type { Tasks } from '../tasks/tasks.js';
import type { DomainActions, RunAsset } from './actions.js';

/** The maximum number of tasks that an agent sees. */
const TASKS_LISTED = 50;

export interface RunActionServices {
  readonly storeWait: StoreWait;
  readonly channels: Channels;
  readonly mailbox: Mailbox;
  readonly stimuli: Stimuli;
  readonly schedules: Schedules;
  readonly tasks: Tasks;
  readonly subAgents: SubAgents;
  readonly assets: Assets;
  readonly sessionTokens: SessionTokens;
}

export function createRunActions(
  services: RunActionServices,
  run: ActingRun,
): DomainActions & Pick<RunActions, 'channels'> {
  const { storeWait, mailbox, stimuli, schedules, tasks, subAgents, assets } = services;
  const { sessionId, runId, origin, signal } = run;
  const by = sessionPrincipal(sessionId);
  const whenAvailable = <T>(act: () => Promise<T>): Promise<T> => storeWait.run(act, signal);
  const keyOf = (callId: string): string => `${runId}:${callId}`;
  return {
    channels: createChannelActions(services, by, signal),
    stimuli: {
      async create(callId, { channelId = origin.channelId, ...request }) {
        if (channelId === undefined) {
          throw new StoaError('invalid_stimulus', 'You are in no channel: name a channelId');
        }
        const isHere = channelId === origin.channelId && request.scope === 'thread';
        const root =
          request.threadRootMessageId ?? (isHere ? origin.threadRootMessageId : undefined);
        const stimulus = {
          ...request,
          ...(root === undefined ? {} : { threadRootMessageId: root }),
          sourceKind: 'run',
          sourceRef: runId,
          metadata: { sessionId, runId },
        };
        return whenAvailable(() => stimuli.create(by, channelId, stimulus, keyOf(callId)));
      },
    },
    schedules: {
      create: (callId, request) =>
        whenAvailable(() =>
          schedules.createInRun(
            { sessionId, runId, origin },
            { ...request, overlap: 'skip', misfire: 'coalesce_once' },
            keyOf(callId),
          ),
        ),
    },
    messages: {
      async send(callId, { subject, ...message }) {
        const request = { ...message, ...(subject ? { subject } : {}) };
        const item = await whenAvailable(() => mailbox.send(by, sessionId, request, keyOf(callId)));
        await subAgents.milestone(sessionId, message.toSessionId, subject ?? message.text);
        return item;
      },
    },
    tasks: {
      list: async () => (await whenAvailable(() => tasks.list(by, { limit: TASKS_LISTED }))).tasks,
      get: (taskId) => whenAvailable(() => tasks.get(by, taskId)),
      output: (taskId, range) => whenAvailable(() => tasks.output(by, taskId, range)),
      stop: (taskId) => tasks.stop(by, taskId),
      send: (taskId, text) => tasks.send(by, taskId, text),
    },
    subAgents: {
      programsOf: (agentId) => subAgents.programsOf(sessionId, agentId),
      launch: (callId, wanted) => subAgents.launch(sessionId, { ...wanted, runId, callId, origin }),
      finished: (taskId, waiting) => subAgents.finished(taskId, waiting),
      resultOf: (task) => subAgents.resultOf(task),
    },
    assets: { find: (assetId) => findAsset(assets, assetId) },
    tokens: { issue: () => services.sessionTokens.issue(sessionId) },
    taskRegistry: tasks,
  };
}

async function findAsset(assets: Assets, assetId: string): Promise<RunAsset | undefined> {
  try {
    const asset = await assets.get(assetId);
    const { mediaType, name, bytes: size } = asset;
    return { name, mediaType, size, bytes: () => assets.read(asset) };
  } catch (error) {
    if (error instanceof StoaError && error.code === 'asset_not_found') return undefined;
    throw error;
  }
}

type ChannelActionServices = Pick<RunActionServices, 'storeWait' | 'channels'>;

/** Without a signal an action does not wait for an unavailable store. */
export function createChannelActions(
  { storeWait, channels }: ChannelActionServices,
  by: Principal,
  signal?: AbortSignal,
): ChannelActions {
  const whenAvailable = <T>(act: () => Promise<T>): Promise<T> =>
    signal ? storeWait.run(act, signal) : act();
  return {
    async react(channelId, { messageId, emoji, remove }) {
      const change = remove ? 'unreact' : 'react';
      await whenAvailable(() => channels[change](by, channelId, messageId, { emoji }));
    },
    readAsset: (channelId, assetId) => whenAvailable(() => channels.asset(by, channelId, assetId)),
    readThread: ({ channelId, messageId }, { before, after, limit }) =>
      whenAvailable(async (): Promise<ThreadPart> => {
        const named = await channels.message(by, channelId, messageId);
        const { threadRootMessageId = messageId } = named;
        const root =
          threadRootMessageId === messageId
            ? named
            : await channels.message(by, channelId, threadRootMessageId);
        const query = { threadRootMessageId, scope: 'all' as const, before, after, limit };
        const { messages, hasMore } = await channels.messages(by, channelId, query);
        return { root, replies: messages, hasMore };
      }),
  };
}

const sessionPrincipal = (id: string): Principal => ({
  kind: 'session',
  id,
  credentialId: 'session',
});
