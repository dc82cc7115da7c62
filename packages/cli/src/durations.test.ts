import { describe, expect, it } from 'vitest';
import { durationText, parseDuration, parseInstant } from './durations.js';

describe('durations', () => {
  it.each([
    ['90s', 90_000, '1m30s'],
    ['10m', 600_000, '10m'],
    ['1h30m', 5_400_000, '1h30m'],
    ['7d', 604_800_000, '1w'],
  ])('%s is %d ms, and is shown as %s', (text, ms, shown) => {
    expect(parseDuration(text)).toBe(ms);
    expect(durationText(ms)).toBe(shown);
  });

  it.each(['', '10', 'm', '1.5h', '-5m', '5 m', '0s', '1y'])('%j is none', (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });

  it('shows parts of a second as what they are', () => {
    expect(durationText(250)).toBe('250ms');
  });
});

describe('instants', () => {
  it('are read in UTC, with an offset, or as the time of this machine', () => {
    expect(parseInstant('2026-03-01T09:00:00Z')).toBe(Date.UTC(2026, 2, 1, 9));
    expect(parseInstant('2026-03-01T09:00+02:00')).toBe(Date.UTC(2026, 2, 1, 7));
    expect(parseInstant('2026-03-01 09:00')).toBe(new Date(2026, 2, 1, 9).getTime());
    expect(parseInstant('2028-02-29T09:00Z')).toBe(Date.UTC(2028, 1, 29, 9));
    expect(parseInstant('2026-03-01')).toBe(new Date(2026, 2, 1).getTime());
  });

  it.each([
    '',
    'tomorrow',
    '2026',
    '2026-13-01',
    '2026-03-01T25:00',
    '2099-02-31T00:00',
    '2026-04-31',
    '2027-02-29T09:00Z',
    '1',
  ])('%j is none', (text) => {
    expect(parseInstant(text)).toBeUndefined();
  });
});
