import { PEOPLE } from '../access-table.js';
import { tagged } from '../route.js';

/** Read cursors and search. */
export const READING_ROUTES = tagged('reading', {
  getCursor: {
    method: 'GET',
    path: '/v1/channels/:channelId/cursor',
    summary: "Read the caller's cursor and unread count",
    access: PEOPLE,
    answer: 'ReadCursor',
    client: 'cursor.get',
  },
  moveCursor: {
    method: 'PUT',
    path: '/v1/channels/:channelId/cursor',
    summary: 'Move the read cursor forward',
    access: PEOPLE,
    body: 'MoveCursor',
    answer: 'ReadCursor',
    retry: 'always',
    client: 'cursor.move',
    shorthand: 'readSeq',
  },
  listUnread: {
    method: 'GET',
    path: '/v1/unread',
    summary: 'List cursors and unread counts of all channels of the caller',
    access: PEOPLE,
    answer: 'UnreadList',
    client: 'unread',
    unwrap: 'cursors',
  },
  search: {
    method: 'GET',
    path: '/v1/search',
    summary: 'Full-text search over messages, newest first',
    access: PEOPLE,
    query: 'SearchQuery',
    answer: 'SearchAnswer',
    client: 'search',
    shorthand: 'query',
    unwrap: 'hits',
  },
});
