import { describe, expect, it } from 'vitest';
import { clockTime, relativeTime } from './times.js';

const now = new Date(2026, 6, 15, 14, 3, 9).getTime();

describe('relativeTime', () => {
  it.each([
    [1_000, 'now'],
    [42_000, '42 s ago'],
    [119_000, '2 min ago'],
    [3 * 3_600_000, '3 h ago'],
    [50 * 3_600_000, '2 d ago'],
    [40 * 86_400_000, '2026-06-05'],
    [-599_000, 'in 10 min'],
  ])('%d ms before now reads %s', (before, text) => {
    expect(relativeTime(now - before, now)).toBe(text);
  });
});

describe('clockTime', () => {
  it('has the date only when it is not today', () => {
    expect(clockTime(now, now)).toBe('14:03:09');
    expect(clockTime(new Date(2026, 6, 14, 23, 59, 59).getTime(), now)).toBe('2026-07-14 23:59:59');
  });
});
