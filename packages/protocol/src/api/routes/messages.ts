import { LIMITS } from '../../limits.js';
import { PEOPLE, PEOPLE_AND_SESSIONS } from '../access-table.js';
import { tagged } from '../route.js';

/** Base64 of the largest asset, and space for the JSON around it. */
const MESSAGE_BODY_BYTES = Math.ceil(LIMITS.assetBytes / 3) * 4 + 1024 * 1024;

/** Messages, their edits and their reactions. */
export const MESSAGES_ROUTES = tagged('messages', {
  listMessages: {
    method: 'GET',
    path: '/v1/channels/:channelId/messages',
    summary: 'Page through the feed, a thread or the whole log of messages',
    access: PEOPLE,
    query: 'ListMessages',
    answer: 'MessagePage',
    client: 'messages.list',
  },
  postMessage: {
    method: 'POST',
    path: '/v1/channels/:channelId/messages',
    summary: 'Post a message; it is durable before the answer',
    access: PEOPLE_AND_SESSIONS,
    body: 'PostMessage',
    bodyLimit: MESSAGE_BODY_BYTES,
    answer: 'Message',
    status: 201,
    retry: 'keyed',
    client: 'messages.post',
    shorthand: 'text',
  },
  findMessage: {
    method: 'GET',
    path: '/v1/messages/:messageId',
    summary: 'Read a message by its id alone',
    access: PEOPLE,
    answer: 'Message',
    client: 'messages.find',
  },
  getMessage: {
    method: 'GET',
    path: '/v1/channels/:channelId/messages/:messageId',
    summary: 'Read a message',
    access: PEOPLE,
    answer: 'Message',
    client: 'messages.get',
  },
  editMessage: {
    method: 'PATCH',
    path: '/v1/channels/:channelId/messages/:messageId',
    summary: 'Replace the content of a message (author); the log keeps the earlier content',
    access: PEOPLE,
    body: 'EditMessage',
    bodyLimit: MESSAGE_BODY_BYTES,
    answer: 'Message',
    client: 'messages.edit',
    shorthand: 'text',
  },
  deleteMessage: {
    method: 'DELETE',
    path: '/v1/channels/:channelId/messages/:messageId',
    summary: 'Delete a message (author or owner); a tombstone remains',
    access: PEOPLE,
    answer: 'Message',
    client: 'messages.delete',
  },
  setReaction: {
    method: 'POST',
    path: '/v1/channels/:channelId/messages/:messageId/reactions',
    summary: 'React to a message; repeating it changes nothing',
    access: PEOPLE,
    body: 'ReactionChange',
    answer: 'Message',
    retry: 'always',
    client: 'messages.react',
    shorthand: 'emoji',
  },
  unsetReaction: {
    method: 'DELETE',
    path: '/v1/channels/:channelId/messages/:messageId/reactions',
    summary: 'Remove a reaction; a missing one produces no event',
    access: PEOPLE,
    body: 'ReactionChange',
    answer: 'Message',
    retry: 'always',
    client: 'messages.unreact',
    shorthand: 'emoji',
  },
});
