import { describe, expect, it } from 'vitest';
import { report } from '../scripts/test-report.mjs';

describe('what npm test says at the end', () => {
  it('F-2 is how many passed, also when tests were skipped, which is reported above', () => {
    const skipped = [
      { name: 'a > traces', reason: 'strace is not installed' },
      { name: 'b > fills', reason: 'nothing can be mounted' },
    ];
    expect(report([{ status: 0, outcome: { passed: 7, failed: 0, skipped } }])).toEqual({
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
    expect(report([{ status: 0, outcome: all }])).toEqual({
      lines: ['7 passed, 0 failed'],
      exitCode: 0,
    });
  });

  it('F-2 counts a test that is skipped without a reason as failed', () => {
    const { lines, exitCode } = report([
      { status: 0, outcome: { passed: 7, failed: 0, skipped: [{ name: 'a > b' }] } },
    ]);
    expect(lines[0]).toMatch(/^skipped: a > b: no reason/);
    expect(lines.at(-1)).toBe('7 passed, 1 failed');
    expect(exitCode).toBe(1);
  });

  it('F-2 counts a run as failed if it ended badly, regardless of the counts', () => {
    const ended = report([{ status: 3, outcome: { passed: 7, failed: 0, skipped: [] } }]);
    expect(ended.lines.at(-1)).toBe('7 passed, 1 failed');
    expect(ended.exitCode).toBe(3);
    expect(report([{ status: 1 }]).lines.at(-1)).toBe('0 passed, 1 failed');
    expect(report([{ status: 1, outcome: { passed: 7, failed: 2, skipped: [] } }])).toEqual({
      lines: ['7 passed, 2 failed'],
      exitCode: 1,
    });
  });

  it('F-2 adds up two runs, and one that failed is enough', () => {
    const first = { status: 1, outcome: { passed: 7, failed: 1, skipped: [] } };
    const second = { status: 0, outcome: { passed: 5, failed: 0, skipped: [] } };
    const both = { lines: ['12 passed, 1 failed'], exitCode: 1 };
    expect(report([first, second])).toEqual(both);
    expect(report([second, first])).toEqual(both);
  });
});
