import type { Row } from './rows.js';

/** Where somebody was reading: at the end, or at an offset into a message. */
export type ReadingPosition = 'end' | { readonly messageId: string; readonly into: number };

const MAX_ENTRIES = 200;
const positions = new Map<string, ReadingPosition>();
let entries = 0;

/** The name of the current entry of the browser's history, if it has one. */
function namedEntry(): string | undefined {
  const state = history.state as { readonly entry?: unknown } | null;
  return typeof state?.entry === 'string' ? state.entry : undefined;
}

/** The name of the current history entry; names it if necessary. The name is still there after going back. */
export function historyEntry(): string {
  const known = namedEntry();
  if (known !== undefined) return known;
  entries += 1;
  // A page that was loaded before also counted from one.
  const entry = `${performance.timeOrigin} ${entries}`;
  history.replaceState({ entry }, '');
  return entry;
}

export function keepPosition(entry: string, position: ReadingPosition): void {
  positions.delete(entry);
  positions.set(entry, position);
  const [oldest] = positions.keys();
  if (positions.size > MAX_ENTRIES && oldest !== undefined) positions.delete(oldest);
}

/** The kept position of the current history entry. */
export const positionHere = (): ReadingPosition | undefined => positions.get(namedEntry() ?? '');

interface Scrolled {
  readonly isAtEnd: boolean;
  /** How far down the feed is scrolled. */
  readonly offset: number;
  /** Where each row begins. */
  readonly starts: readonly number[];
}

/** The reading position that belongs to a scroll offset. It names a message, because rows may change. */
export function positionOf(
  rows: readonly Row[],
  { isAtEnd, offset, starts }: Scrolled,
): ReadingPosition | undefined {
  if (isAtEnd) return 'end';
  const first = Math.max(
    0,
    starts.findLastIndex((start) => start <= offset),
  );
  const index = rows.findIndex(({ kind }, at) => at >= first && kind === 'message');
  const row = rows[index];
  return row ? { messageId: row.key, into: offset - (starts[index] ?? 0) } : undefined;
}
