import type { ThreadWork } from '@stoa/protocol';
import { putThreadWork, type Tx } from '@stoa/store';
import type { Place } from '../log/entry.js';
import { isOpen } from './status.js';

/** The event holds all of the work, so nothing is worked out again. */
export function* projectWork({ topicId, seq }: Place, work: ThreadWork): Tx<void> {
  yield* putThreadWork.run({
    topicId,
    rootMessageId: work.threadRootMessageId,
    seq,
    topicKind: work.topicKind,
    isOpen: isOpen(work.status) ? 1 : 0,
    initiativeKey: work.initiativeKey ?? null,
    rootPostedAt: work.rootPostedAt ?? null,
    followedUpAt: work.followedUpAt ?? null,
  });
}
