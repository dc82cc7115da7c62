import { AutonomyPolicySettings } from '@stoa/protocol';
import { describe, expect, it } from 'vitest';
import { POLICY } from './policy.js';

describe('the options of a policy', () => {
  it('are the fields of the contract', () => {
    expect(POLICY.map(({ name }) => name)).toEqual(Object.keys(AutonomyPolicySettings.shape));
  });
});
