import { describe, expect, it } from 'vitest';
import { readUpTo, withUnread } from './unread.js';

const cursors = [
  { channelId: 'a', readSeq: 5, unreadCount: 0 },
  { channelId: 'b', readSeq: 7, unreadCount: 2 },
];

describe('what is unread', () => {
  it('grows where somebody says something', () => {
    expect(withUnread(cursors, 'b').map(({ unreadCount }) => unreadCount)).toEqual([0, 3]);
    expect(withUnread(cursors, 'c')).toEqual(cursors);
  });

  it('is gone where it was read, and a cursor never goes back', () => {
    expect(readUpTo(cursors, 'b', 9)[1]).toEqual({ channelId: 'b', readSeq: 9, unreadCount: 0 });
    expect(readUpTo(cursors, 'b', 6)[1]).toEqual(cursors[1]);
  });
});
