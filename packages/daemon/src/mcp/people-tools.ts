import type { Core } from '@stoa/core';
import {
  AgentId,
  ApprovalState,
  ChannelId,
  DispatchRule,
  Emoji,
  ListChannels,
  MessageId,
  type Principal,
  SearchQuery,
  Seq,
  SessionId,
  SessionTitle,
  WorkspacePath,
} from '@stoa/protocol';
import { z } from 'zod';
import { type OfferedTool, offer } from './offered-tool.js';
import { idempotencyKey, messageText, PostMessageInput } from './post-message-input.js';
import type { Words } from './words.js';

const limit = z.int().min(1).max(50).default(20);
const inSession = { sessionId: SessionId };

const ListChannelsInput = ListChannels.extend({ limit });
const ReadChannelInput = z.strictObject({
  channelId: ChannelId,
  before: Seq.optional().describe('The seq of a message: the page before it'),
  after: Seq.optional().describe('The seq of a message: the page after it'),
  limit,
});
const ReadThreadInput = z.strictObject({
  channelId: ChannelId,
  threadRootMessageId: MessageId.describe('The message that begins the thread'),
  before: Seq.optional().describe('The seq of a message: the page before it'),
  after: Seq.optional().describe('The seq of a message: the page after it'),
  limit,
});
const SetReactionInput = z.strictObject({
  channelId: ChannelId,
  messageId: MessageId,
  emoji: Emoji,
  remove: z.boolean().default(false).describe('Take the reaction back'),
});

const SearchInput = SearchQuery.extend({ limit });
const Nothing = z.strictObject({});
const ListSessionsInput = z.strictObject({
  agentId: AgentId.optional(),
  ended: z.enum(['exclude', 'include', 'only']).default('exclude'),
  before: SessionId.optional(),
  limit,
});
/** Without the freer modes: a session with them could work without anybody's approval. */
const CreateSessionInput = z.strictObject({
  agentId: AgentId,
  workspace: WorkspacePath.optional(),
  title: SessionTitle.optional(),
  mode: z.enum(['plan', 'ask']).optional(),
  idempotencyKey,
});
const SendPromptInput = z.strictObject({
  ...inSession,
  text: messageText,
  rule: DispatchRule.default('followup'),
  idempotencyKey,
});
const ReadJournalInput = z.strictObject({ ...inSession, after: Seq.default(0), limit });
const ListApprovalsInput = z.strictObject({
  state: ApprovalState.default('pending'),
  sessionId: SessionId.optional(),
  limit,
});

/**
 * The tools of a person with an MCP client. Answering approvals is excluded: a model may control this connection, and
 * people must decide.
 */
export function peopleTools(core: Core, by: Principal, words: Words): OfferedTool[] {
  const { channels, agents, sessions, inbox, runs, approvals } = core;
  return [
    offer<z.infer<typeof ListChannelsInput>>({
      name: 'list_channels',
      description: 'Lists channels, and finds them by words of their title.',
      input: ListChannelsInput,
      isReading: true,
      async call(query) {
        const page = await channels.list(query);
        return { text: words.channels(page.channels, page.nextAfter), data: page };
      },
    }),
    offer<z.infer<typeof ReadChannelInput>>({
      name: 'read_channel',
      description:
        'Reads the feed of a channel: the messages that begin threads, the newest unless a position is given.',
      input: ReadChannelInput,
      isReading: true,
      async call({ channelId, ...query }) {
        const page = await channels.messages(by, channelId, { ...query, scope: 'feed' });
        return { text: words.messages(channelId, page), data: page };
      },
    }),
    offer<z.infer<typeof ReadThreadInput>>({
      name: 'read_channel_thread',
      description: 'Reads a thread of a channel, the newest page unless a position is given.',
      input: ReadThreadInput,
      isReading: true,
      async call({ channelId, ...query }) {
        const page = await channels.messages(by, channelId, { ...query, scope: 'all' });
        return { text: words.messages(channelId, page), data: page };
      },
    }),
    offer<z.infer<typeof SetReactionInput>>({
      name: 'set_channel_reaction',
      description: 'Reacts to a message with an emoji, or takes the reaction back.',
      input: SetReactionInput,
      isReading: false,
      async call({ channelId, messageId, emoji, remove }) {
        const change = remove ? channels.unreact.bind(channels) : channels.react.bind(channels);
        const message = await change(by, channelId, messageId, { emoji });
        return { text: remove ? 'Taken back.' : 'Reacted.', data: { message } };
      },
    }),
    offer<z.infer<typeof PostMessageInput>>({
      name: 'post_message',
      description: 'Posts a message to a channel you are a member of, as yourself.',
      input: PostMessageInput,
      isReading: false,
      async call({ channelId, idempotencyKey: key, ...request }) {
        const message = await channels.post(by, channelId, request, key);
        return { text: `Posted as ${message.messageId}.`, data: { message } };
      },
    }),
    offer<z.infer<typeof SearchInput>>({
      name: 'search_messages',
      description: 'Finds messages by their words, in one channel or in all.',
      input: SearchInput,
      isReading: true,
      async call(query) {
        const hits = await channels.search(by, query);
        return { text: words.hits(query.query, hits), data: { hits } };
      },
    }),
    offer<z.infer<typeof Nothing>>({
      name: 'list_agents',
      description: 'Lists the agents that sessions can be made of.',
      input: Nothing,
      isReading: true,
      async call() {
        // Definitions may contain keys of other services, which nobody needs to choose an agent.
        const listed = (await agents.list()).map(
          ({ agentId, name, status, problem, definition }) => ({
            agentId,
            name,
            status,
            ...(problem === undefined ? {} : { problem }),
            ...(definition?.description === undefined
              ? {}
              : { description: definition.description }),
            ...(definition ? { driver: definition.driver.kind, mode: definition.mode } : {}),
          }),
        );
        return { text: words.records('agents', listed), data: { agents: listed } };
      },
    }),
    offer<z.infer<typeof ListSessionsInput>>({
      name: 'list_sessions',
      description: 'Lists the sessions of agents that work for you, newest first.',
      input: ListSessionsInput,
      isReading: true,
      async call(query) {
        const page = await sessions.list(by, query);
        return { text: words.records('sessions', page.sessions), data: page };
      },
    }),
    offer<z.infer<typeof CreateSessionInput>>({
      name: 'create_session',
      description:
        'Makes a session of an agent in a workspace. What it may do without asking is what its agent may, or less with the mode plan or ask.',
      input: CreateSessionInput,
      isReading: false,
      async call({ idempotencyKey: key, ...request }) {
        const session = await sessions.create(by, request, key);
        return { text: `Made ${session.sessionId}.`, data: { session } };
      },
    }),
    offer<z.infer<typeof SendPromptInput>>({
      name: 'send_prompt',
      description:
        'Sends work to a session. It is stored when this returns, and done later: read the journal for the result.',
      input: SendPromptInput,
      isReading: false,
      async call({ sessionId, idempotencyKey: key, ...request }) {
        const item = await inbox.submit(by, sessionId, request, key);
        return { text: `Accepted as ${item.itemId}, run ${item.runId}.`, data: { item } };
      },
    }),
    offer<z.infer<typeof ReadJournalInput>>({
      name: 'read_journal',
      description:
        'Reads the journal of a session, oldest first: its inputs, messages and tool calls.',
      input: ReadJournalInput,
      isReading: true,
      async call({ sessionId, ...query }) {
        const page = await runs.journal(by, sessionId, query);
        return { text: words.journal(sessionId, page), data: page };
      },
    }),
    offer<z.infer<typeof ListApprovalsInput>>({
      name: 'list_approvals',
      description:
        'Lists what people are asked to decide. They answer in the web UI or with `stoa approvals`, never here.',
      input: ListApprovalsInput,
      isReading: true,
      async call(query) {
        const page = await approvals.list(by, query);
        return { text: words.records('approvals', page.approvals), data: page };
      },
    }),
  ];
}
