import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backoffMs } from './backoff.js';

const backoff = { firstMs: 100, longestMs: 2_000 };

describe('backoffMs', () => {
  it('doubles with each attempt up to its maximum', () => {
    const waits = [0, 1, 2, 3, 4, 5, 6].map((attempt) => backoffMs(backoff, attempt, 0));
    expect(waits).toEqual([50, 100, 200, 400, 800, 1_000, 1_000]);
  });

  it('stays between half and the whole of its step for every attempt', () => {
    fc.assert(
      fc.property(
        fc.nat(),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (attempt, random) => {
          const whole = Math.min(2_000, 100 * 2 ** attempt);
          const wait = backoffMs(backoff, attempt, random);
          expect(wait).toBeGreaterThanOrEqual(whole / 2);
          expect(wait).toBeLessThanOrEqual(whole);
        },
      ),
    );
  });
});
