import { describe, expect, it } from 'vitest';
import { barOf, costText, dayOf, everyDay, lengthOf } from './amounts.js';

const usage = { modelCalls: 2, inputTokens: 1_000, cachedInputTokens: 400, outputTokens: 50 };

describe('what was used, as a chart', () => {
  it('never shows a cost that is not known as nothing', () => {
    expect(costText(undefined, 'EUR')).toBe('unknown');
    expect(costText(0, 'EUR')).toBe('0.00 EUR');
    expect(costText(0.00123, undefined)).toBe('0.0012');
    const style = { measure: 'cost', currency: 'EUR', label: 'x' } as const;
    expect(barOf({ key: 'x', usage }, style)).toMatchObject({ value: 'unknown', parts: undefined });
    expect(barOf({ key: 'x', usage: { ...usage, cost: 0.5 } }, style)).toMatchObject({
      value: '0.50 EUR',
      parts: [0.5],
    });
  });

  it('counts input that came from a cache once', () => {
    const bar = barOf({ key: 'x', usage }, { measure: 'tokens', currency: undefined, label: 'x' });
    expect(bar).toMatchObject({ value: '1,050 tokens', parts: [400, 600, 50] });
    expect(lengthOf(bar)).toBe(1_050);
  });

  it('has every day between the first and the last', () => {
    const days = everyDay([{ key: '2026-02-27', usage }], undefined, '2026-03-02');
    expect(days.map(({ key, usage: { inputTokens } }) => [key, inputTokens])).toEqual([
      ['2026-02-27', 1_000],
      ['2026-02-28', 0],
      ['2026-03-01', 0],
      ['2026-03-02', 0],
    ]);
    expect(everyDay([], '2026-03-01', '2026-03-02')).toHaveLength(2);
    expect(dayOf(Date.UTC(2026, 2, 1, 23, 59))).toBe('2026-03-01');
  });
});
