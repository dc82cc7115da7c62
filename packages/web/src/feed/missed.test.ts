import { describe, expect, it } from 'vitest';
import { comingTo, missedSince, seenUpTo } from './missed.js';

const OPEN = Number.POSITIVE_INFINITY;

describe('what a reader has missed', () => {
  it('is nothing for a reader who has read everything and stays at the end', () => {
    const missed = comingTo({ readSeq: 7, unreadCount: 0 });
    expect(missed).toEqual({ from: 7, to: 7 });
    expect(seenUpTo(missed, 9)).toEqual({ from: 7, to: 7 });
  });

  it('is what was unread until the end is seen, and nothing that comes after that', () => {
    const missed = comingTo({ readSeq: 7, unreadCount: 2 });
    expect(missed).toEqual({ from: 7, to: OPEN });
    // What is shown at first may be from before.
    expect(seenUpTo(missed, 7)).toEqual({ from: 7, to: OPEN });
    expect(seenUpTo(missed, 9)).toEqual({ from: 7, to: 9 });
    expect(seenUpTo(seenUpTo(missed, 9), 12)).toEqual({ from: 7, to: 9 });
  });

  it('begins again with messages that arrive while the reader is not at the end', () => {
    const missed = seenUpTo(comingTo({ readSeq: 7, unreadCount: 2 }), 9);
    const since = missedSince(missed, 10);
    expect(since).toEqual({ from: 10, to: OPEN });
    expect(missedSince(since, 10)).toBe(since);
    expect(seenUpTo(since, 14)).toEqual({ from: 10, to: 14 });
  });
});
