import { type Core, createCore, idleRuntime } from '@stoa/core';
import type { SearchIndex, Store } from '@stoa/store';
import { DiskAssetFiles } from '../assets/asset-files.js';
import { createIds } from '../ports/ids.js';
import { secrets } from '../ports/secrets.js';

/** A domain on a store of the test, for tests that only follow topics. */
export function liveCore(store: Store, home: string): Core {
  return createCore({
    runtime: idleRuntime(),
    store,
    search: { hint: () => undefined } as unknown as SearchIndex,
    files: new DiskAssetFiles(home),
    clock: { now: Date.now },
    ids: createIds(),
    secrets,
    retention: {
      idempotencyKeyMs: 1,
      revokedCredentialMs: 1,
      unusedAssetMs: 1,
      humanTopicEvents: 1,
    },
    openScratch: () => Promise.reject(new Error('nothing is replayed here')),
    report: () => undefined,
  });
}
