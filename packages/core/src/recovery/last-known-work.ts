import type { ThreadWork } from '@stoa/protocol';
import { findMessageRow, listEventsOfTypeBefore, type Tx } from '@stoa/store';
import { dataOf } from '../kernel/codec.js';

const PAGE = 50;

/** The work of a thread as the log of its channel says, read from its end back to the root of the thread. */
export function* lastKnownWork(topicId: number, rootMessageId: string): Tx<ThreadWork | undefined> {
  const root = yield* findMessageRow.first({ topicId, messageId: rootMessageId });
  if (!root) return undefined;
  const type = 'thread_work_changed';
  let before = Number.MAX_SAFE_INTEGER;
  for (;;) {
    const page = { topicId, type, after: root.seq - 1, before, limit: PAGE };
    const events = yield* listEventsOfTypeBefore.all(page);
    for (const { body, seq } of events) {
      before = seq;
      const { work } = dataOf('thread_work_changed', { body });
      if (work.threadRootMessageId === rootMessageId) return work;
    }
    if (events.length < PAGE) return undefined;
  }
}
