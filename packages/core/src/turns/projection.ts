import { insertDecision, insertLease, putTurn, setLeaseDeadline, setLeaseEnded } from '@stoa/store';
import type { Projections } from '../kernel/module.js';

/** A decision event contains its whole outcome, so a replay decides nothing again. */
export const TURN_EVENTS: Projections = {
  *turn_decided({ topicId, seq, at }, { data: { turn, granted, renewed, ended } }) {
    const { turnId, threadRootMessageId: rootMessageId, originMessageId } = turn;
    const isOpen = turn.closedAt === undefined ? 1 : 0;
    yield* putTurn.run({
      topicId,
      rootMessageId,
      turnId,
      seq,
      isOpen,
      wakeAt: turn.wakeAt ?? null,
    });
    yield* insertDecision.run({ topicId, rootMessageId, seq });
    for (const { leaseId, outcome } of ended) yield* setLeaseEnded.run({ leaseId, at, outcome });
    for (const { leaseId, deadline } of renewed) yield* setLeaseDeadline.run({ leaseId, deadline });
    for (const lease of granted) {
      yield* insertLease.run({
        ...lease,
        topicId,
        seq,
        turnId,
        rootMessageId,
        originMessageId,
        grantedAt: at,
      });
    }
  },
};
