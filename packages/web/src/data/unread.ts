import type { ReadCursor } from '@stoa/protocol';

type Cursors = readonly ReadCursor[];

/** Counts a message of somebody else. A channel that the reader is not a member of has no cursor. */
export function withUnread(cursors: Cursors, channelId: string): Cursors {
  return cursors.map((cursor) =>
    cursor.channelId === channelId ? { ...cursor, unreadCount: cursor.unreadCount + 1 } : cursor,
  );
}

/** The daemon is asked how much is left unless it is nothing. */
export function readUpTo(cursors: Cursors, channelId: string, readSeq: number): Cursors {
  return cursors.map((cursor) =>
    cursor.channelId === channelId && cursor.readSeq < readSeq
      ? { ...cursor, readSeq, unreadCount: 0 }
      : cursor,
  );
}
