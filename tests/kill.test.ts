import { DAEMON_ENGINES, runKillCampaign } from '@stoa/testkit';
import { describe, expect, it } from 'vitest';

const SOAK = process.env['STOA_SOAK'] === '1';
const KILLS = { sqlite: SOAK ? 3_000 : 150, postgres: SOAK ? 1_000 : 50 };
const SEED = Number(process.env['STOA_SEED'] ?? 20_261_115);

describe.each(DAEMON_ENGINES)('a daemon on $name', (engine) => {
  it(`F-8 that is killed ${String(KILLS[engine.name])} times, while people post or while it starts, has lost and doubled nothing (seed ${String(SEED)})`, {
    timeout: SOAK ? 4 * 3_600_000 : 900_000,
  }, async () => {
    const directory = await engine.newDirectory();
    try {
      const kills = KILLS[engine.name];
      const report = await runKillCampaign({ directory, kills, seed: SEED });
      expect(report.killsUnderLoad + report.killsOfStarts).toBe(kills);
      expect(report.killsUnderLoad).toBeGreaterThan(kills / 2);
      expect(report.killsBeforeReady).toBeGreaterThan(0);
      expect(report.acknowledged).toBeGreaterThan(report.killsUnderLoad);
    } finally {
      await directory.discard();
    }
  });
});
