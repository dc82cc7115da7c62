import { LIMITS } from '@stoa/protocol';
import type { Tx } from '@stoa/store';
import { describe, expect, it } from 'vitest';
import { readPage } from './paging.js';

const rowsUpTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

// eslint-disable-next-line require-yield -- a query whose rows are known needs no statement
function* firstOf<T>(rows: readonly T[], limit: number): Tx<T[]> {
  return rows.slice(0, limit);
}

function pageOf(stored: number, limit: number, bytes?: { each: number; max?: number }) {
  const rows = rowsUpTo(stored);
  const sizes = rows.map(() => ({ bytes: bytes?.each ?? 0 }));
  const max = bytes?.max === undefined ? {} : { max: bytes.max };
  const page = readPage(
    limit,
    (count) => firstOf(rows, count),
    bytes && { sizes: (count) => firstOf(sizes, count), ...max },
  );
  const { done, value } = page.next();
  if (!done) throw new Error('The page yielded a statement');
  return value;
}

describe('a page', () => {
  it('has a row to resume after only if there are more rows', () => {
    expect(pageOf(2, 3)).toEqual({ rows: [1, 2] });
    expect(pageOf(3, 3)).toEqual({ rows: [1, 2, 3] });
    expect(pageOf(4, 3)).toEqual({ rows: [1, 2, 3], resumeAfter: 3 });
    expect(pageOf(0, 3)).toEqual({ rows: [] });
  });

  it('ends before its bytes exceed the limit', () => {
    expect(pageOf(3, 3, { each: 10, max: 20 })).toEqual({ rows: [1, 2], resumeAfter: 2 });
    expect(pageOf(3, 3, { each: 10, max: 30 })).toEqual({ rows: [1, 2, 3] });
    expect(pageOf(4, 3, { each: 10, max: 99 })).toEqual({ rows: [1, 2, 3], resumeAfter: 3 });
    expect(pageOf(0, 3, { each: 10, max: 99 })).toEqual({ rows: [] });
    expect(pageOf(2, 3, { each: LIMITS.pageBytes })).toEqual({ rows: [1], resumeAfter: 1 });
  });

  it('has one row even if that row exceeds the limit', () => {
    expect(pageOf(2, 3, { each: 50, max: 20 })).toEqual({ rows: [1], resumeAfter: 1 });
  });
});
