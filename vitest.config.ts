import { defineConfig } from 'vitest/config';
import { LongestFirst } from './scripts/vitest-order.mjs';

const conditions = ['stoa-source', 'module', 'node', 'development|production'];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: ['stoa-source'] } },
  test: {
    pool: 'forks',
    maxWorkers: 2,
    // Loading the packages anew for each of some 200 files is a quarter of the time. No test changes
    // what its process shares with the next file.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    hookTimeout: 120_000,
    teardownTimeout: 30_000,
    globalSetup: ['packages/testkit/src/postgres/shared-postgres.ts'],
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['packages/*/src/**/*.test.ts'],
          testTimeout: 30_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: ['tests/**/*.test.ts'],
          testTimeout: 120_000,
          globalSetup: ['scripts/vitest-bundle.mjs'],
        },
      },
    ],
  },
});
