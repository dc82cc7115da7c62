import { AsyncLocalStorage } from 'node:async_hooks';
import type { ErrorCode } from '@stoa/protocol';
import type { Expectation } from './model/model.js';
import type { Person } from './model/verdict.js';
import type { Request } from './operation.js';

/** What came back from the program. */
export type Outcome =
  | { readonly kind: 'answer'; readonly answer: unknown }
  | { readonly kind: 'refusal'; readonly code: ErrorCode }
  /** An error that is not one of ours. */
  | { readonly kind: 'defect'; readonly error: unknown };

/**
 * One request on its way through one daemon.
 *
 *   admitting (who is it?) ──▶ performing (what it asks for) ──▶ over
 *
 * What the store and the files are asked for on its behalf is reported to it, and so it knows what has
 * to come out.
 */
export interface Call {
  readonly request: Request;
  stage: 'admitting' | 'performing' | 'over';
  by: Person | undefined;
  /** What the credential proved when it was looked up. */
  admitted: Person | undefined;
  expected: Expectation | { readonly kind: 'defect' } | undefined;
  /** Transactions of it that were run to their end. */
  transactions: number;
  /** Assets that were stored on its behalf so far. */
  readonly assetIds: string[];
  /** Where the word that is searched for stood when the index was asked. */
  found: readonly { readonly channelId: string; readonly messageId: string }[];
  /** It was answered with what an earlier one with its key did. */
  isReplay: boolean;
  /** A transaction of it is to fail by a defect after so many statements. */
  poison: number | undefined;
}

/** Upkeep that no client asked for. */
export interface Upkeep {
  readonly upkeep: 'sweep' | 'boot' | 'follow' | 'check';
  readonly since: number;
  /** The latest time of the clock while it was under way. */
  latest: number;
  isPoisoned: boolean;
}

export const newUpkeep = (upkeep: Upkeep['upkeep'], now: number, isPoisoned = false): Upkeep => ({
  upkeep,
  since: now,
  latest: now,
  isPoisoned,
});

/** On whose behalf the program is running right now. */
export const onBehalf = new AsyncLocalStorage<Call | Upkeep>();

export const newCall = (request: Request, poison: number | undefined): Call => ({
  request,
  stage: 'admitting',
  by: undefined,
  admitted: undefined,
  expected: undefined,
  transactions: 0,
  assetIds: [],
  found: [],
  isReplay: false,
  poison,
});
