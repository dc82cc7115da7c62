import type { Agent } from '@stoa/protocol';
import { describe, expect, it } from 'vitest';
import { defaultAgent } from './default-agent.js';

const agent = (agentId: string, source: Agent['source'], kind: 'builtin' | 'script'): Agent => ({
  agentId,
  source,
  name: agentId,
  status: 'ready',
  definition: { driver: { kind }, mode: 'ask', instructions: '' },
});

describe('the agent that is used unless another is named', () => {
  it('is the one that comes with Stoa, its own loop first', () => {
    const mine = agent('mine', 'file', 'builtin');
    const guide = agent('guide', 'builtin', 'script');
    const own = agent('stoa', 'builtin', 'builtin');
    expect(defaultAgent([guide, mine, own])?.agentId).toBe('stoa');
    expect(defaultAgent([guide, mine])?.agentId).toBe('guide');
    expect(defaultAgent([mine])).toBeUndefined();
  });
});
