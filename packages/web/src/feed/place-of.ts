import type { LeftPlace } from './left-places.js';
import type { Row } from './rows.js';

interface Scrolled {
  readonly isAtEnd: boolean;
  /** How far down the feed is scrolled. */
  readonly offset: number;
  /** Where each row begins. */
  readonly starts: readonly number[];
}

/** What one has to know to lead back to where somebody is reading: rows may come and go, a message stays. */
export function placeOf(
  rows: readonly Row[],
  { isAtEnd, offset, starts }: Scrolled,
): LeftPlace | undefined {
  if (isAtEnd) return 'end';
  const first = Math.max(
    0,
    starts.findLastIndex((start) => start <= offset),
  );
  const index = rows.findIndex(({ kind }, at) => at >= first && kind === 'message');
  const row = rows[index];
  return row ? { messageId: row.key, into: offset - (starts[index] ?? 0) } : undefined;
}
