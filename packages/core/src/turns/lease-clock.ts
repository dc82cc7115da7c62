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

/** Whether a run did something within the time of a lease: then its lease is renewed, whoever waits. */
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

/** When a lease has to be looked at again. That what it waits for has come is told at once; now and then it is looked for. */
export function lookAgainAt(lease: LiveLease, policy: AutonomyPolicy, now: number): number {
  const { silenceLimitMs } = policy;
  if (lease.phase === 'waiting') return now + silenceLimitMs;
  if (lease.phase === 'granted') return Math.min(lease.deadline, lookAgainAfterGrant(policy, now));
  return Math.min(lease.deadline, lease.progressAt + silenceLimitMs);
}
