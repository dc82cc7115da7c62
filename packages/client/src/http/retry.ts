import type { Retry } from '@stoa/protocol/constants';
import type { Backoff } from '../backoff.js';

export interface RetryPolicy extends Backoff {
  /** The maximum number of calls, including the first. */
  readonly attempts: number;
  /** Whether to retry if nothing listens at the address (a daemon may be restarting). */
  readonly whenRefused: boolean;
}

export const DEFAULT_RETRY: RetryPolicy = {
  attempts: 4,
  firstMs: 100,
  longestMs: 2_000,
  whenRefused: true,
};

/** Why there is no result: nothing listened, the answer was lost, or the daemon answered 503. */
export type Failure = 'refused' | 'lost' | 'unavailable';

/** Repeats a call whose outcome is unknown only if that cannot do its work twice. */
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
