import type { Status } from '@stoa/protocol';
import { callerOf, type EmbeddedPostgres, startDaemon, startEmbeddedPostgres } from '@stoa/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const WARNING = 'the database server runs with fsync = off';

describe('a database server that does not wait for its disk', () => {
  let server: EmbeddedPostgres;

  beforeAll(async () => {
    server = await startEmbeddedPostgres({ fsync: false });
  });
  afterAll(() => server.stop());

  it.each([
    ['full', 1],
    ['relaxed', 0],
  ] as const)('is warned of when durability is %s: %i times', async (durability, times) => {
    const daemon = await startDaemon({
      env: { STOA_DATABASE_URL: server.url },
      config: `durability: ${durability}\n`,
    });
    try {
      const { json } = await callerOf(daemon.url, daemon.token).get<Status>('/v1/status');
      expect(json.warnings.filter((warning) => warning.includes(WARNING))).toHaveLength(times);
      expect(daemon.output().stderr.split(WARNING)).toHaveLength(times + 1);
    } finally {
      await daemon.cleanUp();
    }
  });
});
