import type { AutonomyPolicy } from '@stoa/protocol';
import type { LiveLease } from './thread-state.js';

/** A lease has no deadline while its run waits for people. */
export const isOverdue = ({ phase, deadline }: LiveLease, now: number): boolean =>
  phase !== 'waiting' && now >= deadline;

export const isSilent = (
  { phase, progressAt }: LiveLease,
  { silenceLimitMs }: AutonomyPolicy,
  now: number,
): boolean => phase === 'running' && now >= progressAt + silenceLimitMs;

/** An active run keeps its lease even if others wait. */
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

/** When to check a new lease. Its run may start at once and be silent for too long before the time to start is over. */
export const firstCheckAt = (
  { claimTimeoutMs, leaseTimeoutMs, silenceLimitMs }: AutonomyPolicy,
  now: number,
): number => now + Math.min(claimTimeoutMs, leaseTimeoutMs, silenceLimitMs);

/**
 * When to check a lease again. A settled approval triggers a check at once; this one is in case that trigger was lost.
 */
export function nextCheckAt(lease: LiveLease, policy: AutonomyPolicy, now: number): number {
  const { silenceLimitMs } = policy;
  if (lease.phase === 'waiting') return now + silenceLimitMs;
  if (lease.phase === 'granted') return Math.min(lease.deadline, firstCheckAt(policy, now));
  return Math.min(lease.deadline, lease.progressAt + silenceLimitMs);
}
