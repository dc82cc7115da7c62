import { describe, expect, it } from 'vitest';
import { usageOf } from './usage-of.js';

const unknown = {
  input: undefined,
  cacheRead: undefined,
  cacheWrite: undefined,
  output: undefined,
};
const price = { input: 4, cachedInput: 1, output: 10 };

describe('the usage of a model call', () => {
  it('has a cost by the price of each kind of token', () => {
    const reported = { input: 1_000, cacheRead: 600, cacheWrite: 100, output: 50 };
    expect(usageOf(reported, { ...price, cacheWrite: 5 })).toEqual({
      modelCalls: 1,
      inputTokens: 1_000,
      cachedInputTokens: 600,
      outputTokens: 50,
      cost: (300 * 4 + 600 * 1 + 100 * 5 + 50 * 10) / 1e6,
    });
  });

  it('has no cost if a price or a count is unknown', () => {
    expect(usageOf({ ...unknown, input: 5, output: 5 }, undefined)).not.toHaveProperty('cost');
    expect(usageOf(unknown, price)).toEqual({
      modelCalls: 1,
      inputTokens: 0,
      cachedInputTokens: 0,
      outputTokens: 0,
    });
  });
});
