import { simulateRuntime } from '@stoa/testkit';
import { describe, expect, it } from 'vitest';

const SEEDS = process.env.STOA_SOAK ? 50_000 : 120;

describe('sessions, runs, approvals and their owners', () => {
  it(`R-3 hold to their rules in ${String(SEEDS)} simulated histories with crashes and hand-overs`, async () => {
    const only = process.env.STOA_SEED;
    const seeds =
      only === undefined ? Array.from({ length: SEEDS }, (_, i) => i + 1) : [Number(only)];
    const seen = new Map<string, number>();
    for (const seed of seeds) {
      const report = await simulateRuntime(seed);
      for (const [what, count] of Object.entries(report.seen)) {
        seen.set(what, (seen.get(what) ?? 0) + count);
      }
    }
    if (only !== undefined) return;
    for (const what of [
      'steer',
      'inject',
      'allow',
      'cancel',
      'crash of one',
      'crash of all',
      'stop',
      'replay',
    ]) {
      expect(seen.get(what), what).toBeGreaterThan(SEEDS / 10);
    }
  }, 600_000);
});
