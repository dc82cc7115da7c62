import { findMessageAfter, findTopicById, type Tx } from '@stoa/store';

/**
 * The last place in the log of a channel before everything that was posted at a time or later. Halves the log
 * until it has found it, so that it needs no index of its own and costs the same in a long channel; where a
 * clock was set back it finds one of the places that could be meant.
 */
export function* placeBefore(topicId: number, time: number): Tx<number> {
  let before = 0;
  let upTo = (yield* findTopicById.first({ id: topicId }))?.head ?? 0;
  while (before < upTo) {
    const middle = Math.floor((before + upTo) / 2);
    const next = yield* findMessageAfter.first({ topicId, seq: middle });
    if (next && next.createdAt < time) before = next.seq;
    else upTo = middle;
  }
  return before;
}
