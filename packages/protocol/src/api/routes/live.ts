import { PEOPLE } from '../access-table.js';
import { tagged } from '../route.js';

/** Following topics. */
export const LIVE_ROUTES = tagged('live', {
  readTopic: {
    method: 'GET',
    path: '/v1/topics/:topic/events',
    summary: 'Read a topic from a sequence on',
    access: PEOPLE,
    query: 'ReadTopic',
    answer: 'TopicPage',
    client: 'topics.read',
  },
  events: {
    method: 'GET',
    path: '/v1/events',
    summary: 'Follow topics as server-sent events; resumes from Last-Event-ID',
    access: PEOPLE,
    query: 'FollowQuery',
    carries: 'stream',
  },
  stream: {
    method: 'GET',
    path: '/v1/stream',
    summary: 'Follow topics over a WebSocket',
    access: PEOPLE,
    status: 101,
    carries: 'stream',
  },
});
