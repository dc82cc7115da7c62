import { describe, expect, it } from 'vitest';
import { costText, countText, usageLine } from './usage-text.js';

describe('usage', () => {
  it('groups digits', () => {
    expect([0, 999, 1_000, 1_234_567].map(countText)).toEqual(['0', '999', '1,000', '1,234,567']);
  });

  it('R-16 tells an unknown cost from none', () => {
    expect(costText(undefined, 'USD')).toBe('?');
    expect(costText(0, 'USD')).toBe('0.00 USD');
    expect(costText(1.234, undefined)).toBe('1.23');
    expect(costText(0.000123, 'USD')).toBe('0.00012 USD');
  });

  it('is one line for a run', () => {
    const usage = { modelCalls: 2, inputTokens: 1_200, cachedInputTokens: 200, outputTokens: 30 };
    expect(usageLine(usage)).toBe('1,200 tokens in (200 cached), 30 out');
    expect(usageLine({ ...usage, cachedInputTokens: 0, cost: 0.5 })).toBe(
      '1,200 tokens in, 30 out, cost 0.50',
    );
  });
});
