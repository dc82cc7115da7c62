import { UpdateChannel } from '@stoa/protocol';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../failure.js';
import { policyChange } from './participation.js';

describe('what is set of a policy', () => {
  it('is read from names and values, as the contract has it', () => {
    const change = policyChange([
      'maxAgentRepliesPerHumanMessage=5',
      'memberCooldownMs=1m30s',
      'leaseTimeoutMs=45000',
      'quietPeriodMsAfterRootPost=5m',
      'defaultParticipationMode=always_listen',
    ]);
    expect(change).toEqual({
      autonomyPolicy: {
        maxAgentRepliesPerHumanMessage: 5,
        memberCooldownMs: 90_000,
        leaseTimeoutMs: 45_000,
        quietPeriodMsAfterRootPost: 300_000,
      },
      defaultParticipationMode: 'always_listen',
    });
    expect(UpdateChannel.safeParse(change).success).toBe(true);
    expect(policyChange(['defaultParticipationMode=manual_only'])).toEqual({
      defaultParticipationMode: 'manual_only',
    });
  });

  it('lets a default stand again by its name', () => {
    const change = policyChange(
      ['memberCooldownMs=1s'],
      ['tokensPerTurn', 'defaultParticipationMode'],
    );
    expect(change).toEqual({
      autonomyPolicy: { memberCooldownMs: 1_000, tokensPerTurn: null },
      defaultParticipationMode: null,
    });
    expect(UpdateChannel.safeParse(change).success).toBe(true);
    expect(() => policyChange([], ['replies'])).toThrow(UsageError);
  });

  it.each([
    'replies=5',
    'maxAgentRepliesPerHumanMessage',
    'maxAgentRepliesPerHumanMessage=many',
    'maxAgentRepliesPerHumanMessage=90s',
    'memberCooldownMs=soon',
    'defaultParticipationMode=never',
  ])('is refused with what to write instead: %s', (text) => {
    expect(() => policyChange([text])).toThrow(UsageError);
  });
});
