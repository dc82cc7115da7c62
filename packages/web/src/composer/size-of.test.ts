import { expect, it } from 'vitest';
import { sizeOf } from './size-of.js';

it('says how large something is in three digits at most', () => {
  expect([0, 999, 1000, 1536, 12 * 1024 * 1024, 5_000_000_000].map(sizeOf)).toEqual([
    '0 bytes',
    '999 bytes',
    '1 KB',
    '1.5 KB',
    '12 MB',
    '4.7 GB',
  ]);
});
