/** What was said while the reader was not there: after `from`, and up to `to` once they have seen the end. */
export interface Missed {
  readonly from: number;
  readonly to: number;
}

/** Who comes has missed what is unread; whoever has read everything sees all that follows as it comes. */
export function comingTo({
  readSeq,
  unreadCount,
}: {
  readonly readSeq: number;
  readonly unreadCount: number;
}): Missed {
  return { from: readSeq, to: unreadCount === 0 ? readSeq : Number.POSITIVE_INFINITY };
}

/** The end is looked at: what comes from now on is seen as it comes. */
export function seenUpTo(missed: Missed, last: number): Missed {
  const isOver = missed.to === Number.POSITIVE_INFINITY && last > missed.from;
  return isOver ? { from: missed.from, to: last } : missed;
}

/** Something was said while something else was looked at. What was missed before, and seen since, is not new any more. */
export function missedSince(missed: Missed, reached: number): Missed {
  const isGoingOn = missed.to === Number.POSITIVE_INFINITY;
  return isGoingOn ? missed : { from: reached, to: Number.POSITIVE_INFINITY };
}
