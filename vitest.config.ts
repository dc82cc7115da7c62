import { defineConfig } from 'vitest/config';

const conditions = ['stoa-source', 'module', 'node', 'development|production'];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: ['stoa-source'] } },
  test: {
    pool: 'forks',
    maxWorkers: 2,
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
