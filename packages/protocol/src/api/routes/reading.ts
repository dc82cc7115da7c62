import { z } from 'zod';
import { MoveCursor, ReadCursor } from '../../records/cursor.js';
import { ChannelId } from '../../records/ids.js';
import { PEOPLE } from '../access-table.js';
import { SearchAnswer, SearchQuery, UnreadList } from '../pages.js';
import type { Route } from '../route.js';

const inChannel = z.strictObject({ channelId: ChannelId });

/** Where a reader stands, and finding things again. */
export const READING_ROUTES = {
  getCursor: {
    method: 'GET',
    path: '/v1/channels/:channelId/cursor',
    tag: 'reading',
    summary: 'How far the caller has read, and how much is unread',
    access: PEOPLE,
    params: inChannel,
    answer: ReadCursor,
    status: 200,
  },
  moveCursor: {
    method: 'PUT',
    path: '/v1/channels/:channelId/cursor',
    tag: 'reading',
    summary: 'Move the read cursor forward',
    access: PEOPLE,
    params: inChannel,
    body: MoveCursor,
    answer: ReadCursor,
    status: 200,
  },
  listUnread: {
    method: 'GET',
    path: '/v1/unread',
    tag: 'reading',
    summary: 'Cursors and unread counts of all channels the caller is a member of',
    access: PEOPLE,
    answer: UnreadList,
    status: 200,
  },
  search: {
    method: 'GET',
    path: '/v1/search',
    tag: 'reading',
    summary: 'Full-text search over messages, newest first',
    access: PEOPLE,
    query: SearchQuery,
    answer: SearchAnswer,
    status: 200,
  },
} as const satisfies Record<string, Route>;
