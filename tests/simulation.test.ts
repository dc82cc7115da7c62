import { simulate } from '@stoa/testkit';
import { describe, expect, it } from 'vitest';

const ONLY = process.env['STOA_SEED'];
const SEEDS = process.env['STOA_SOAK'] === '1' ? 100_000 : 2_000;
const PER_TEST = 500;

const firsts = Array.from({ length: SEEDS / PER_TEST }, (_, i) => i * PER_TEST + 1);

/** A run that never meets one of these proves less than it seems to. */
const SITUATIONS = [
  'answer',
  'replayed answer',
  'shared commit',
  'crash',
  'crash before a commit',
  'crash after a commit',
  'defect',
  'integrity checked',
  'reader resumed',
  'reader informed of a gap',
  'slow reader cut off',
  'refusal asset_in_use',
  'refusal channel_archived',
  'refusal channel_exists',
  'refusal channel_not_found',
  'refusal forbidden',
  'refusal idempotency_conflict',
  'refusal message_deleted',
  'refusal not_author',
  'refusal not_member',
  'refusal storage_full',
  'refusal thread_mismatch',
  'refusal unauthenticated',
  'refusal unknown_member',
];

describe('the slice on virtual time, with faults', () => {
  if (ONLY === undefined) everySeed();
  else {
    it(`keeps its promises with seed ${ONLY}`, async () => {
      await simulate(Number(ONLY));
    });
  }
});

function everySeed(): void {
  const seen = new Map<string, number>();

  it.each(firsts)(
    `F-9 F-10 F-12 F-15 F-37 keeps its promises, with the logs and the readers checked after every step, with seed %i and the next ${String(PER_TEST - 1)}`,
    { timeout: 300_000 },
    async (first) => {
      for (let seed = first; seed < first + PER_TEST; seed++) {
        const report = await simulate(seed);
        for (const [what, count] of report.seen) seen.set(what, (seen.get(what) ?? 0) + count);
      }
    },
  );

  it('has met everything that it is there for', () => {
    expect(SITUATIONS.filter((situation) => !seen.has(situation))).toEqual([]);
  });

  it('does the same again for the same seed, and something else for another', async () => {
    const first = await simulate(7);
    const again = await simulate(7);
    expect(again.trace).toEqual(first.trace);
    expect(again.digest).toBe(first.digest);
    expect((await simulate(8)).digest).not.toBe(first.digest);
  });
}
