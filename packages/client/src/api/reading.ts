import type { ReadCursor, SearchHit } from '@stoa/protocol';
import type { Answer, Caller, CallOptions } from '../http/caller.js';
import type { QueryFor } from './query.js';

export interface CursorApi {
  get(channelId: string, options?: CallOptions): Promise<ReadCursor>;
  /** A cursor only moves forward; the answer is where it stands. */
  move(channelId: string, readSeq: number, options?: CallOptions): Promise<ReadCursor>;
}

export type TopicPage = Answer<'readTopic'>;

export interface TopicsApi {
  read(topic: string, query?: QueryFor<'readTopic'>, options?: CallOptions): Promise<TopicPage>;
}

export interface ReadingApi {
  readonly cursor: CursorApi;
  readonly topics: TopicsApi;
  unread(options?: CallOptions): Promise<readonly ReadCursor[]>;
  search(
    query: string,
    narrow?: Omit<QueryFor<'search'>, 'query'>,
    options?: CallOptions,
  ): Promise<readonly SearchHit[]>;
}

export function readingApi(call: Caller): ReadingApi {
  return {
    cursor: {
      get: (channelId, options) => call('getCursor', { params: { channelId }, ...options }),
      move: (channelId, readSeq, options) =>
        call('moveCursor', { params: { channelId }, body: { readSeq }, ...options }),
    },
    topics: {
      read: (topic, query, options) => call('readTopic', { params: { topic }, query, ...options }),
    },
    unread: async (options) => (await call('listUnread', { ...options })).cursors,
    search: async (query, narrow, options) =>
      (await call('search', { query: { ...narrow, query }, ...options })).hits,
  };
}
