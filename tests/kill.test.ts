import { DAEMON_ENGINES, runKillCampaign } from '@stoa/testkit';
import { describe, expect, it } from 'vitest';

const SOAK = process.env['STOA_SOAK'] === '1';
const KILLS = { sqlite: SOAK ? 3_000 : 150, postgres: SOAK ? 1_000 : 50 };
const SEED = Number(process.env['STOA_SEED'] ?? 20_261_115);

describe.each(DAEMON_ENGINES)('a daemon on $name', (engine) => {
  it(`F-8 that is killed ${String(KILLS[engine.name])} times while people post has lost and doubled nothing (seed ${String(SEED)})`, {
    timeout: SOAK ? 4 * 3_600_000 : 900_000,
  }, async () => {
    const place = await engine.newPlace();
    try {
      const report = await runKillCampaign({ place, kills: KILLS[engine.name], seed: SEED });
      expect(report.acknowledged).toBeGreaterThan(report.kills);
      expect(report.killsWhileStarting).toBeGreaterThan(0);
    } finally {
      await place.discard();
    }
  });
});
