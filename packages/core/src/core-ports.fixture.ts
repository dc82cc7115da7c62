import type { Store } from '@stoa/store';
import type { CorePorts } from './create-core.js';
import { idleRuntime } from './idle-runtime.js';

const DAY_MS = 24 * 3_600_000;

/** The ports of a domain on the store of a test. Defects are thrown. */
export function corePorts(store: Store, changes: Partial<CorePorts> = {}): CorePorts {
  let ids = 0;
  return {
    runtime: idleRuntime(),
    store,
    search: {
      search: () => Promise.resolve([]),
      hint: () => undefined,
      settled: () => Promise.resolve(),
      close: () => Promise.resolve(),
    },
    files: {
      write: () => Promise.reject(new Error('There are no files here')),
      exists: () => Promise.resolve(false),
      read: () => Promise.reject(new Error('There are no files here')),
      remove: () => Promise.resolve(),
    },
    clock: { now: () => 100 * DAY_MS },
    ids: { next: (prefix) => `${prefix}_${String((ids += 1))}` },
    secrets: {
      generate: () => `s${String((ids += 1))}`,
      digest: (text) => text,
      sign: (secret, parts) => [secret, ...parts].join('|'),
      verifies: (secret, parts, signature) => [secret, ...parts].join('|') === signature,
    },
    retention: {
      idempotencyKeyMs: DAY_MS,
      revokedCredentialMs: DAY_MS,
      unusedAssetMs: DAY_MS,
      humanTopicEvents: 1_000,
    },
    openScratch: () => Promise.reject(new Error('There is no scratch store here')),
    report: (error) => {
      throw error;
    },
    ...changes,
  };
}
