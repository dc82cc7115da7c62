import { putThreadWork } from '@stoa/store';
import type { Projections } from '../kernel/module.js';
import { isOpen } from './status.js';

/** The event contains the complete work. */
export const WORK_EVENTS: Projections = {
  *thread_work_changed({ topicId, seq }, { data: { work } }) {
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
  },
};
