import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TokenBucket } from './token-bucket.js';

const takeAll = (bucket: TokenBucket, now: number): number => {
  let taken = 0;
  while (taken < 100 && bucket.take(now)) taken += 1;
  return taken;
};

describe('the bucket of a monitor', () => {
  it('T-19 gives five tokens at once, then one a second, and keeps at most five', () => {
    const bucket = new TokenBucket(0);
    expect(takeAll(bucket, 0)).toBe(5);
    expect(takeAll(bucket, 999)).toBe(0);
    expect(takeAll(bucket, 1_000)).toBe(1);
    expect(takeAll(bucket, 2_500)).toBe(1);
    // The half second is not lost.
    expect(takeAll(bucket, 3_000)).toBe(1);
    expect(takeAll(bucket, 3_600_000)).toBe(5);
  });

  it('T-20 keeps refilling when the clock goes back', () => {
    const bucket = new TokenBucket(1_000_000);
    expect(takeAll(bucket, 1_000_000)).toBe(5);
    expect(takeAll(bucket, 10)).toBe(0);
    expect(takeAll(bucket, 1_010)).toBe(1);
    expect(takeAll(bucket, 3_010)).toBe(2);
  });

  it('T-20 gives one token for each second forward, however the clock jumps', () => {
    const steps = fc.array(
      fc.record({ jump: fc.integer({ min: -1e7, max: 1e7 }), takes: fc.nat(8) }),
    );
    fc.assert(
      fc.property(steps, (history) => {
        let now = 0;
        let forward = 0;
        let taken = 0;
        const bucket = new TokenBucket(now);
        for (const { jump, takes } of history) {
          now += jump;
          forward += Math.max(0, jump);
          for (let count = 0; count < takes; count++) taken += Number(bucket.take(now));
          expect(taken).toBeLessThanOrEqual(5 + forward / 1_000);
        }
        expect(takeAll(bucket, now)).toBeLessThanOrEqual(5);
        expect(takeAll(bucket, now + 1_000)).toBe(1);
      }),
    );
  });
});
