import {
  type EventRow,
  findTopic,
  listEventSizesAfter,
  listEventsAfter,
  type Store,
  type TopicRow,
  type Tx,
} from '@stoa/store';
import type { LogEntry } from './entry.js';
import { readPage } from './paging.js';

export interface TopicSlice {
  readonly entries: readonly LogEntry[];
  readonly head: number;
  /** The first sequence that is still stored. */
  readonly oldest: number;
}

export interface PageLimit {
  readonly events: number;
  /** Exceeded only by a page of one event. */
  readonly bytes: number;
}

/** A page of a topic after a sequence; undefined if the topic does not exist. */
export async function readTopic(
  store: Store,
  topic: string,
  after: number,
  limit: PageLimit,
): Promise<TopicSlice | undefined> {
  return store.read(function* () {
    const row = yield* findTopic.first({ name: topic });
    if (!row) return undefined;
    const from = Math.max(after, row.floor);
    const rows = from < row.head ? yield* eventsAfter(row.id, from, limit) : [];
    return {
      entries: rows.map((event) => ({ ...event, topic })),
      head: row.head,
      oldest: oldestOf(row),
    };
  });
}

function* eventsAfter(topicId: number, after: number, limit: PageLimit): Tx<EventRow[]> {
  const { rows } = yield* readPage(
    limit.events,
    (count) => listEventsAfter.all({ topicId, after, limit: count }),
    {
      sizes: (count) => listEventSizesAfter.all({ topicId, after, limit: count }),
      max: limit.bytes,
    },
  );
  return rows;
}

const oldestOf = (row: TopicRow): number => row.floor + 1;
