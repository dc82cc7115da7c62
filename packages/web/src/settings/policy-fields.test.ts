import { AutonomyPolicy, AutonomyPolicySettings, DEFAULT_AUTONOMY_POLICY } from '@stoa/protocol';
import { describe, expect, it } from 'vitest';
import {
  POLICY_BOUNDS,
  POLICY_FIELDS,
  policyChange,
  standardText,
  writtenPolicy,
} from './policy-fields.js';

describe('the policy of a channel as a form', () => {
  it('has every field of the contract, with its default', () => {
    expect(POLICY_FIELDS.map(({ name }) => name).sort()).toEqual(
      Object.keys(AutonomyPolicy.shape).sort(),
    );
    for (const { name, standard } of POLICY_FIELDS) {
      expect(standard, name).toBe(DEFAULT_AUTONOMY_POLICY[name]);
    }
    expect(POLICY_FIELDS.map(standardText)).not.toContain('');
    for (const [name, field] of Object.entries(AutonomyPolicySettings.shape)) {
      const { minValue, maxValue } = field.unwrap();
      expect(POLICY_BOUNDS[name as keyof AutonomyPolicy], name).toEqual([minValue, maxValue]);
    }
  });

  it('shows what differs from the default, and changes what was edited', () => {
    const before = writtenPolicy({ ...DEFAULT_AUTONOMY_POLICY, memberCooldownMs: 90_000 });
    expect(before).toEqual({ memberCooldownMs: '1m 30s' });
    expect(policyChange(before, { memberCooldownMs: '', tokensPerTurn: ' 5000 ' })).toEqual({
      change: { memberCooldownMs: null, tokensPerTurn: 5_000 },
      unreadable: {},
    });
    expect(policyChange(before, before).change).toEqual({});
  });

  it('says which of it cannot be read or is too much, of all fields at once', () => {
    const { unreadable } = policyChange(
      {},
      {
        leaseTimeoutMs: 'long',
        maxPendingStimuli: '1.5',
        maxParallelPublicSpeakers: '99',
        silenceLimitMs: '20ms',
      },
    );
    expect(unreadable).toEqual({
      'autonomyPolicy.leaseTimeoutMs': 'Write it as 15s, 5m or 1h 30m.',
      'autonomyPolicy.maxPendingStimuli': 'Enter a whole number.',
      'autonomyPolicy.maxParallelPublicSpeakers': 'At most 20.',
      'autonomyPolicy.silenceLimitMs': 'At least 1s.',
    });
  });
});
