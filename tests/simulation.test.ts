import { simulate } from '@stoa/testkit';
import { describe, expect, it } from 'vitest';

const SOAK = process.env['STOA_SOAK'] === '1';
const ONLY = process.env['STOA_SEED'];
const SEEDS = SOAK ? 100_000 : 2_000;
const CHUNK = SOAK ? 5_000 : 250;

/** Which seeds the test that starts here plays; a failing one names itself and how to play it alone. */
function seedsFrom(first: number): readonly number[] {
  return Array.from({ length: CHUNK }, (_, i) => first + i);
}

describe('the simulated slice', () => {
  if (ONLY !== undefined) {
    it(`keeps every invariant with seed ${ONLY}`, async () => {
      const { trace } = await simulate(Number(ONLY));
      console.log(trace.join('\n'));
    });
    return;
  }

  const chunks = Array.from({ length: SEEDS / CHUNK }, (_, i) => 1 + i * CHUNK);
  it.each(chunks)(
    `keeps every invariant whatever is crashed, filled, repeated and delayed (${String(CHUNK)} seeds from %i)`,
    { timeout: SOAK ? 3_600_000 : 120_000 },
    async (first) => {
      const seen = new Map<string, number>();
      for (const seed of seedsFrom(first)) {
        const life = await simulate(seed);
        for (const [what, count] of life.seen) seen.set(what, (seen.get(what) ?? 0) + count);
      }
      // A simulation in which nothing goes wrong proves nothing.
      expect([...seen.keys()].some((what) => what.startsWith('crash'))).toBe(true);
    },
  );

  it('plays the same life again for the same seed, and another one for another', async () => {
    const [once, again, other] = [await simulate(7), await simulate(7), await simulate(8)];
    expect(again.digest).toBe(once.digest);
    expect(again.trace).toEqual(once.trace);
    expect(other.digest).not.toBe(once.digest);
  });
});
