import type { AutonomyPolicy } from '@stoa/protocol';
import type { LiveLease } from './thread-state.js';

/** While a lease waits for people its time stands still. */
export const isOverdue = ({ phase, deadline }: LiveLease, now: number): boolean =>
  phase !== 'waiting' && now >= deadline;

export const isSilent = (
  { phase, progressAt }: LiveLease,
  { silenceLimitMs }: AutonomyPolicy,
  now: number,
): boolean => phase === 'running' && now >= progressAt + silenceLimitMs;

export const renewed = (lease: LiveLease, policy: AutonomyPolicy, now: number): LiveLease => ({
  ...lease,
  deadline: now + (lease.phase === 'granted' ? policy.claimTimeoutMs : policy.leaseTimeoutMs),
});

/** When a lease has to be looked at again. That what it waits for has come is told at once; now and then it is looked for. */
export function lookAgainAt(
  lease: LiveLease,
  { silenceLimitMs }: AutonomyPolicy,
  now: number,
): number {
  if (lease.phase === 'waiting') return now + silenceLimitMs;
  if (lease.phase === 'granted') return lease.deadline;
  return Math.min(lease.deadline, lease.progressAt + silenceLimitMs);
}
