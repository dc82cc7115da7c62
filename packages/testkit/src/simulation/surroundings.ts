import type { Retention } from '@stoa/core';

/** Short enough for a jump of the clock to exceed it. */
export const RETENTION: Retention = {
  idempotencyKeyMs: 3_600_000,
  revokedCredentialMs: 7_200_000,
  unusedAssetMs: 1_800_000,
  humanTopicEvents: 2,
};

/** Where a simulated daemon believes to keep its data. */
export const DIRECTORY = '/virtual';
