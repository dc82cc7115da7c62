export interface Backoff {
  readonly firstMs: number;
  readonly longestMs: number;
}

/**
 * Doubles with each attempt up to a maximum; the random half prevents the clients of a restarted daemon from
 * reconnecting in step. `random` is in [0, 1).
 */
export function backoffMs(backoff: Backoff, attempt: number, random: number): number {
  const whole = Math.min(backoff.longestMs, backoff.firstMs * 2 ** Math.min(attempt, 30));
  return whole / 2 + (whole / 2) * random;
}
