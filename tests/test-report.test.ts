import { describe, expect, it } from 'vitest';
import { report } from '../scripts/test-report.mjs';

describe('what npm test says at the end', () => {
  it('F-2 is how many passed, also when tests were skipped, which is told above', () => {
    const skipped = [
      { name: 'a > traces', reason: 'strace is not installed' },
      { name: 'b > fills', reason: 'nothing can be mounted' },
    ];
    expect(report(0, { passed: 7, failed: 0, skipped })).toEqual({
      lines: [
        'skipped: a > traces: strace is not installed',
        'skipped: b > fills: nothing can be mounted',
        '2 skipped',
        '7 passed, 0 failed',
      ],
      exitCode: 0,
    });
  });

  it('F-2 is one line when nothing was skipped', () => {
    const all = { passed: 7, failed: 0, skipped: [] };
    expect(report(0, all)).toEqual({ lines: ['7 passed, 0 failed'], exitCode: 0 });
  });

  it('F-2 counts a test that is skipped without a reason as failed', () => {
    const { lines, exitCode } = report(0, { passed: 7, failed: 0, skipped: [{ name: 'a > b' }] });
    expect(lines[0]).toMatch(/^skipped: a > b: no reason/);
    expect(lines.at(-1)).toBe('7 passed, 1 failed');
    expect(exitCode).toBe(1);
  });

  it('F-2 counts a run as failed that ended badly, whatever was counted', () => {
    const ended = report(3, { passed: 7, failed: 0, skipped: [] });
    expect(ended.lines.at(-1)).toBe('7 passed, 1 failed');
    expect(ended.exitCode).toBe(3);
    expect(report(1, undefined).lines.at(-1)).toBe('0 passed, 1 failed');
    expect(report(1, { passed: 7, failed: 2, skipped: [] })).toEqual({
      lines: ['7 passed, 2 failed'],
      exitCode: 1,
    });
  });
});
