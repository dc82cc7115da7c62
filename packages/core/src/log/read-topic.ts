import { findTopic, listEventsAfter, type Store, type TopicRow } from '@stoa/store';
import type { LogEntry } from './entry.js';

export interface TopicSlice {
  readonly entries: readonly LogEntry[];
  readonly head: number;
  /** The first sequence still kept; what comes before it is gone. */
  readonly oldest: number;
}

/** A run of a topic after a sequence; undefined when there is no such topic. */
export async function readTopic(
  store: Store,
  topic: string,
  after: number,
  limit: number,
): Promise<TopicSlice | undefined> {
  return store.read(function* () {
    const row = yield* findTopic.first({ name: topic });
    if (!row) return undefined;
    const from = Math.max(after, row.floor);
    const rows =
      from < row.head ? yield* listEventsAfter.all({ topicId: row.id, after: from, limit }) : [];
    return {
      entries: rows.map((event) => ({ ...event, topic })),
      head: row.head,
      oldest: oldestOf(row),
    };
  });
}

const oldestOf = (row: TopicRow): number => row.floor + 1;
