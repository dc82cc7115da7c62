import { LIMITS } from '@stoa/protocol';
import type { Tx } from '@stoa/store';

/** A cursor greater than every id: ids begin with a prefix of lower-case letters. */
export const AFTER_ALL_IDS = '~';

export interface Page<Row> {
  readonly rows: Row[];
  /** The last row of this page, if there are rows after it. The next page begins after it. */
  readonly resumeAfter?: Row;
}

/** Limits a page by the bytes of its rows too. A page has at least one row, even if that row is larger. */
export interface PageBytes {
  readonly sizes: (limit: number) => Tx<readonly { readonly bytes: number }[]>;
  /** `LIMITS.pageBytes` by default. */
  readonly max?: number;
}

/** Reads one page. Both queries begin at the cursor of the caller and return at most `limit` rows in the same order. */
export function* readPage<Row>(
  limit: number,
  read: (limit: number) => Tx<Row[]>,
  bytes?: PageBytes,
): Tx<Page<Row>> {
  // One row more than the page has shows whether there is another page.
  let rows: Row[];
  let found: number;
  if (bytes) {
    const sizes = yield* bytes.sizes(limit + 1);
    const count = countWithin(sizes.slice(0, limit), bytes.max ?? LIMITS.pageBytes);
    rows = count === 0 ? [] : yield* read(count);
    found = sizes.length;
  } else {
    const all = yield* read(limit + 1);
    rows = all.slice(0, limit);
    found = all.length;
  }
  const last = rows.at(-1);
  return found > rows.length && last !== undefined ? { rows, resumeAfter: last } : { rows };
}

function countWithin(sizes: readonly { readonly bytes: number }[], max: number): number {
  let total = 0;
  let count = 0;
  for (const { bytes } of sizes) {
    total += bytes;
    if (total > max && count > 0) break;
    count += 1;
  }
  return count;
}
