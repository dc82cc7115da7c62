import { z } from 'zod';
import { TopicName } from '../../events/topic.js';
import { PEOPLE } from '../access-table.js';
import { FollowQuery, ReadTopic, TopicPage } from '../pages.js';
import type { Route } from '../route.js';

/** Following topics. */
export const LIVE_ROUTES = {
  readTopic: {
    method: 'GET',
    path: '/v1/topics/:topic/events',
    tag: 'live',
    summary: 'Read a topic from a sequence on',
    access: PEOPLE,
    params: z.strictObject({ topic: TopicName }),
    query: ReadTopic,
    answer: TopicPage,
    status: 200,
  },
  events: {
    method: 'GET',
    path: '/v1/events',
    tag: 'live',
    summary: 'Follow topics as server-sent events; resumes from Last-Event-ID',
    access: PEOPLE,
    query: FollowQuery,
    status: 200,
    carries: 'stream',
  },
  stream: {
    method: 'GET',
    path: '/v1/stream',
    tag: 'live',
    summary: 'Follow topics over a WebSocket',
    access: PEOPLE,
    status: 101,
    carries: 'stream',
  },
} as const satisfies Record<string, Route>;
