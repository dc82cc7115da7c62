import fc from 'fast-check';
import { expect, it } from 'vitest';
import { unifiedDiff } from './text-diff.js';

it('shows a new file as added', () => {
  expect(unifiedDiff('a', undefined, 'x\ny\n')).toBe(
    '--- /dev/null\n+++ b/a\n@@ -0,0 +1,2 @@\n+x\n+y',
  );
});

it('shows each change with its context', () => {
  const before = Array.from({ length: 30 }, (_, i) => `line ${i + 1}`);
  const after = before.with(4, 'five').toSpliced(20, 1);
  const diff = unifiedDiff('a', `${before.join('\n')}\n`, `${after.join('\n')}\n`);
  expect(diff.match(/^@@.*@@$/gm)).toEqual(['@@ -2,7 +2,7 @@', '@@ -18,7 +18,6 @@']);
  expect(diff.match(/^[-+].*$/gm)).toEqual(['--- a/a', '+++ b/a', '-line 5', '+five', '-line 21']);
});

it('marks a missing newline at the end, and shows carriage returns', () => {
  expect(unifiedDiff('a', 'x\r\n', 'x')).toContain('-x␍\n+x\n\\ No newline at end of file');
});

it('quotes a name with line breaks, which could contain a forged diff', () => {
  const name = 'a\n+++ b/a\n@@ -1,1 +1,1 @@\n-x';
  expect(unifiedDiff(name, 'x\n', 'y\n').split('\n')).toEqual([
    `--- a/${JSON.stringify(name)}`,
    `+++ b/${JSON.stringify(name)}`,
    '@@ -1,1 +1,1 @@',
    '-x',
    '+y',
  ]);
});

it('shows two changes far apart in a long file, and a rewritten file as replaced', () => {
  const before = Array.from({ length: 5_000 }, (_, i) => `line ${i}\n`);
  const after = before.with(3, 'x\n').with(4_990, 'y\n');
  expect(unifiedDiff('a', before.join(''), after.join('')).match(/^[-+].*$/gm)).toEqual([
    ...['--- a/a', '+++ b/a', '-line 3', '+x', '-line 4990', '+y'],
  ]);
  const replaced = unifiedDiff('a', before.join(''), 'new\n'.repeat(2_000) + 'end').split('\n');
  expect(replaced.slice(2, 4)).toEqual(['@@ -1,5000 +1,2001 @@', '-line 0']);
  expect(replaced.slice(-2)).toEqual(['+end', '\\ No newline at end of file']);
});

it('reports that nothing changes', () => {
  expect(unifiedDiff('a', 'x\n', 'x\n')).toMatch(/no change/);
});

it('gives the new lines when applied to the old ones', () => {
  const lines = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 12 });
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const ended = (all: readonly string[]) => all.map((line) => `${line}\n`).join('');
      const diff = unifiedDiff('f', ended(before), ended(after)).split('\n').slice(2);
      const removed = diff.filter((line) => line.startsWith('-')).length;
      const added = diff.filter((line) => line.startsWith('+')).length;
      expect(before.length - removed + added).toBe(after.length);
      expect(apply(before, diff)).toEqual(after);
    }),
  );
});

function apply(before: readonly string[], diff: readonly string[]): string[] {
  const result: string[] = [];
  let at = 0;
  for (const line of diff) {
    const start = /^@@ -(\d+),(\d+)/.exec(line);
    if (start) {
      const first = Number(start[1]) - (start[2] === '0' ? 0 : 1);
      const upTo = start[2] === '0' ? at : first;
      result.push(...before.slice(at, upTo));
      at = upTo;
    } else if (line.startsWith('+')) result.push(line.slice(1));
    else if (line.startsWith('-')) at += 1;
    else if (line.startsWith(' ')) {
      result.push(before[at] ?? '');
      at += 1;
    }
  }
  return [...result, ...before.slice(at)];
}
