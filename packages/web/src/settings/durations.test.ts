import { describe, expect, it } from 'vitest';
import { durationText, parseDuration } from './durations.js';

describe('durations in a form', () => {
  it('are read as people write them', () => {
    expect(parseDuration('15s')).toBe(15_000);
    expect(parseDuration('1h 30m')).toBe(5_400_000);
    expect(parseDuration('5 min')).toBe(300_000);
    expect(parseDuration('250ms')).toBe(250);
    expect(parseDuration('0')).toBe(0);
    for (const text of ['', '15', 's', '1.5h', 'soon', '-3s']) {
      expect(parseDuration(text), text).toBeUndefined();
    }
  });

  it('are written so that they are read again', () => {
    for (const ms of [0, 250, 15_000, 61_500, 300_000, 86_400_000, 90_061_001]) {
      expect(parseDuration(durationText(ms)), durationText(ms)).toBe(ms);
    }
  });
});
