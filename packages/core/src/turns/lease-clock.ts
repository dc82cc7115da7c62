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

/** Whether a run did something within the time of a lease: then its lease is renewed even if others wait. */
export const isActive = (
  { phase, progressAt }: LiveLease,
  { leaseTimeoutMs }: AutonomyPolicy,
  now: number,
): boolean => phase === 'running' && now < progressAt + leaseTimeoutMs;

export const renewed = (lease: LiveLease, policy: AutonomyPolicy, now: number): LiveLease => ({
  ...lease,
  deadline: isActive(lease, policy, now)
    ? lease.progressAt + policy.leaseTimeoutMs
    : now + (lease.phase === 'granted' ? policy.claimTimeoutMs : policy.leaseTimeoutMs),
});

/** A run that starts at once can be silent for too long before the time to start it is over. */
export const lookAgainAfterGrant = (
  { claimTimeoutMs, leaseTimeoutMs, silenceLimitMs }: AutonomyPolicy,
  now: number,
): number => now + Math.min(claimTimeoutMs, leaseTimeoutMs, silenceLimitMs);

/** When to check a lease again. An answer that it waits for is reported at once; the check is in case that report was lost. */
export function lookAgainAt(lease: LiveLease, policy: AutonomyPolicy, now: number): number {
  const { silenceLimitMs } = policy;
  if (lease.phase === 'waiting') return now + silenceLimitMs;
  if (lease.phase === 'granted') return Math.min(lease.deadline, lookAgainAfterGrant(policy, now));
  return Math.min(lease.deadline, lease.progressAt + silenceLimitMs);
}
