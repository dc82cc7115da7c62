import type { Retry } from '@stoa/protocol/constants';
import type { Backoff } from '../backoff.js';

export interface RetryPolicy extends Backoff {
  /** How often a call is made at most, the first time included. */
  readonly attempts: number;
  /** Whether an address where nothing listens is tried again (a daemon may be restarting). */
  readonly whenRefused: boolean;
}

export const DEFAULT_RETRY: RetryPolicy = {
  attempts: 4,
  firstMs: 100,
  longestMs: 2_000,
  whenRefused: true,
};

/** Why no result came: nothing listened, the answer was lost on the way, or the daemon said 503. */
export type Failure = 'refused' | 'lost' | 'unavailable';

/** A call whose outcome is unknown is repeated only if repeating it cannot do its work twice. */
export function mayRepeat(
  policy: RetryPolicy,
  retry: Retry,
  failure: Failure,
  attemptsMade: number,
): boolean {
  if (attemptsMade >= policy.attempts) return false;
  if (failure === 'refused') return policy.whenRefused;
  return retry !== 'never';
}
