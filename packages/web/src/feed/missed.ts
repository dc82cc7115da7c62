/** Messages posted while the reader was away: after `from`, and up to `to` once they have seen the end. */
export interface Missed {
  readonly from: number;
  readonly to: number;
}

/** A returning reader has missed the unread messages; a reader without unread messages sees later ones as they arrive. */
export function comingTo({
  readSeq,
  unreadCount,
}: {
  readonly readSeq: number;
  readonly unreadCount: number;
}): Missed {
  return { from: readSeq, to: unreadCount === 0 ? readSeq : Number.POSITIVE_INFINITY };
}

/** The end is visible: later messages are seen as they arrive. */
export function seenUpTo(missed: Missed, last: number): Missed {
  const isOver = missed.to === Number.POSITIVE_INFINITY && last > missed.from;
  return isOver ? { from: missed.from, to: last } : missed;
}

/** A message arrived while the end was not visible. Messages seen since are no longer new. */
export function missedSince(missed: Missed, reached: number): Missed {
  const isGoingOn = missed.to === Number.POSITIVE_INFINITY;
  return isGoingOn ? missed : { from: reached, to: Number.POSITIVE_INFINITY };
}
