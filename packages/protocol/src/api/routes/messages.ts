import { z } from 'zod';
import { LIMITS } from '../../limits.js';
import { ChannelId, MessageId } from '../../records/ids.js';
import { EditMessage, Message, PostMessage, ReactionChange } from '../../records/message.js';
import { PEOPLE, PEOPLE_AND_SESSIONS } from '../access-table.js';
import { ListMessages, MessagePage } from '../pages.js';
import type { Route } from '../route.js';

const inChannel = z.strictObject({ channelId: ChannelId });
const inMessage = z.strictObject({ channelId: ChannelId, messageId: MessageId });
/** Base64 of the largest asset, and room for the JSON around it. */
const MESSAGE_BODY_BYTES = Math.ceil(LIMITS.assetBytes / 3) * 4 + 1024 * 1024;

/** Messages, their edits and their reactions. */
export const MESSAGES_ROUTES = {
  listMessages: {
    method: 'GET',
    path: '/v1/channels/:channelId/messages',
    tag: 'messages',
    summary: 'Page through the feed, a thread or the whole log of messages',
    access: PEOPLE,
    params: inChannel,
    query: ListMessages,
    answer: MessagePage,
    status: 200,
  },
  postMessage: {
    method: 'POST',
    path: '/v1/channels/:channelId/messages',
    tag: 'messages',
    summary: 'Post a message; it is on disk before the answer',
    access: PEOPLE_AND_SESSIONS,
    params: inChannel,
    body: PostMessage,
    bodyLimit: MESSAGE_BODY_BYTES,
    answer: Message,
    status: 201,
    idempotent: true,
  },
  findMessage: {
    method: 'GET',
    path: '/v1/messages/:messageId',
    tag: 'messages',
    summary: 'Read a message of which only the id is known',
    access: PEOPLE,
    params: z.strictObject({ messageId: MessageId }),
    answer: Message,
    status: 200,
  },
  getMessage: {
    method: 'GET',
    path: '/v1/channels/:channelId/messages/:messageId',
    tag: 'messages',
    summary: 'Read a message',
    access: PEOPLE,
    params: inMessage,
    answer: Message,
    status: 200,
  },
  editMessage: {
    method: 'PATCH',
    path: '/v1/channels/:channelId/messages/:messageId',
    tag: 'messages',
    summary: 'Replace the content of a message (author); the log keeps what it said before',
    access: PEOPLE,
    params: inMessage,
    body: EditMessage,
    bodyLimit: MESSAGE_BODY_BYTES,
    answer: Message,
    status: 200,
  },
  deleteMessage: {
    method: 'DELETE',
    path: '/v1/channels/:channelId/messages/:messageId',
    tag: 'messages',
    summary: 'Delete a message (author or owner); a tombstone stays in its place',
    access: PEOPLE,
    params: inMessage,
    answer: Message,
    status: 200,
  },
  setReaction: {
    method: 'POST',
    path: '/v1/channels/:channelId/messages/:messageId/reactions',
    tag: 'messages',
    summary: 'React to a message; twice is once',
    access: PEOPLE,
    params: inMessage,
    body: ReactionChange,
    answer: Message,
    status: 200,
  },
  unsetReaction: {
    method: 'DELETE',
    path: '/v1/channels/:channelId/messages/:messageId/reactions',
    tag: 'messages',
    summary: 'Take a reaction back; one that is not there is no event',
    access: PEOPLE,
    params: inMessage,
    body: ReactionChange,
    answer: Message,
    status: 200,
  },
} as const satisfies Record<string, Route>;
