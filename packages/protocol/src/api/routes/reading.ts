import { PEOPLE } from '../access-table.js';
import { tagged } from '../route.js';

/** Where a reader stands, and finding things again. */
export const READING_ROUTES = tagged('reading', {
  getCursor: {
    method: 'GET',
    path: '/v1/channels/:channelId/cursor',
    summary: 'How far the caller has read, and how much is unread',
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
    summary: 'Cursors and unread counts of all channels the caller is a member of',
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
