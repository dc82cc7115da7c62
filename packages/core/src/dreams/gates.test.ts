import { describe, expect, it } from 'vitest';
import { refusalBeforeScan, refusalOfLease, refusalOfScan, SCAN_MS } from './gates.js';

const HOUR = 3_600_000;
const rules = { isEnabled: true, afterMs: 24 * HOUR, afterSessions: 5 };
const now = 1_000 * HOUR;
const facts = { now, modelProblem: undefined, dreamtAt: undefined, scannedAt: undefined };

describe('the gates of a dream', () => {
  it.each([
    ['disabled', { ...rules, isEnabled: false }, { ...facts, modelProblem: 'none' }],
    ['no_model', rules, { ...facts, modelProblem: 'none is set', dreamtAt: now }],
    ['too_soon', rules, { ...facts, dreamtAt: now - 24 * HOUR + 1, scannedAt: now }],
    [
      'scanned_lately',
      rules,
      { ...facts, dreamtAt: now - 24 * HOUR, scannedAt: now - SCAN_MS + 1 },
    ],
  ] as const)('T-37 %s is reported before the gates after it', (gate, by, found) => {
    const refusal = refusalBeforeScan(by, found);
    expect([refusal?.gate, (refusal?.reason ?? '').length > 5]).toEqual([gate, true]);
  });

  it('T-37 need 24 hours, 10 minutes and 5 other sessions', () => {
    const open = { ...facts, dreamtAt: now - 24 * HOUR, scannedAt: now - SCAN_MS };
    expect(refusalBeforeScan(rules, open)).toBeUndefined();
    expect(refusalBeforeScan(rules, { ...facts, scannedAt: now + HOUR })).toBeUndefined();
    expect(refusalOfScan(rules, 5)).toBeUndefined();
    expect(refusalOfScan(rules, 4)).toEqual({
      gate: 'too_few_sessions',
      reason: '4 other sessions were there since the last one, and 5 have to be',
    });
  });

  it('T-37 allow one dream at a time; an expired or orphaned lease does not count', () => {
    const lease = { holder: 'tsk_1', until: now + 1, isOrphaned: false };
    expect(refusalOfLease(lease, now)).toEqual({
      gate: 'under_way',
      reason: 'tsk_1 is working on it',
    });
    expect(refusalOfLease(lease, now + 1)).toBeUndefined();
    expect(refusalOfLease({ ...lease, isOrphaned: true }, now)).toBeUndefined();
    expect(refusalOfLease(undefined, now)).toBeUndefined();
  });
});
