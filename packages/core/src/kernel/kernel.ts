import type { ScratchStore, SearchIndex, Store } from '@stoa/store';
import type { Clock, Ids, Secrets, Timers } from '../ports.js';
import type { Hooks } from './hooks.js';
import type { Hub } from './hub.js';
import type { Log } from './log.js';
import type { StoreWait } from './store-wait.js';

/** Writes a line to the daemon's log. Must not throw. */
export type Diagnose = (message: string, details: Readonly<Record<string, unknown>>) => void;

export interface Retention {
  readonly idempotencyKeyMs: number;
  readonly revokedCredentialMs: number;
  readonly unusedAssetMs: number;
  /** Events kept in topics that are not permanent. */
  readonly humanTopicEvents: number;
}

export interface KernelPorts {
  readonly store: Store;
  readonly search: SearchIndex;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly ids: Ids;
  readonly secrets: Secrets;
  readonly retention: Retention;
  readonly openScratch: () => Promise<ScratchStore>;
  /** Receives defects that no caller waits for. */
  readonly report: (error: unknown) => void;
  readonly diagnose: Diagnose;
}

/** What every module receives. */
export interface Kernel {
  readonly store: Store;
  readonly search: SearchIndex;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly ids: Ids;
  readonly secrets: Secrets;
  readonly log: Log;
  readonly hub: Hub;
  readonly hooks: Hooks;
  /** Repeats calls of runs while the store is unavailable. */
  readonly storeWait: StoreWait;
  readonly diagnose: Diagnose;
}
