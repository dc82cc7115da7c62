import { expect, it } from 'vitest';
import { Pace } from '../../pace.js';
import { GlobPattern } from './glob-pattern.js';
import { IgnoreFile } from './ignore-file.js';

it.each([
  ['*.ts', 'a.ts', true],
  ['*.ts', 'src/a.ts', false],
  ['**/*.ts', 'a.ts', true],
  ['**/*.ts', 'src/deep/a.ts', true],
  ['src/**', 'src/a/b', true],
  ['src/**', 'srcs/a', false],
  ['src/**/test/*.ts', 'src/a/test/b/test/c.ts', true],
  ['a?c', 'abc', true],
  ['a?c', 'ac', false],
  ['[a-c]x', 'bx', true],
  ['[!a-c]x', 'bx', false],
  ['{a,b{c,d}}.md', 'bd.md', true],
  ['{a,b}.md', 'c.md', false],
  ['a\\*b', 'a*b', true],
  ['a\\*b', 'axb', false],
  ['[', '[', true],
  ['a*b*c', 'aXbYc', true],
  ['a*b*c', 'aXbY', false],
])('%s and %s: %s', (pattern, path, expected) => {
  expect(new GlobPattern(pattern).matches(path)).toBe(expected);
});

it('matches in time that does not grow exponentially with the pattern', () => {
  const started = performance.now();
  expect(new GlobPattern(`${'*a'.repeat(200)}b`).matches('a'.repeat(2_000))).toBe(false);
  expect(new GlobPattern(`${'**/a/'.repeat(100)}b`).matches('a/'.repeat(1_000))).toBe(false);
  expect(performance.now() - started).toBeLessThan(5_000);
});

it('refuses a pattern that expands to too many', () => {
  expect(() => new GlobPattern('{a,b}'.repeat(10))).toThrow(/more than 100/);
});

it('reports whether a path below a directory could match', () => {
  const pattern = new GlobPattern('src/*/a.ts');
  expect(pattern.reaches('src')).toBe(true);
  expect(pattern.reaches('src/x')).toBe(true);
  expect(pattern.reaches('src/x/y')).toBe(false);
  expect(pattern.reaches('lib')).toBe(false);
  expect(new GlobPattern('**/a').reaches('any/where')).toBe(true);
});

it.each([
  ['*.log', 'deep/a.log', false, true],
  ['/top', 'top', false, true],
  ['/top', 'deep/top', false, undefined],
  ['build/', 'build', true, true],
  ['build/', 'build', false, undefined],
  ['a/b', 'a/b', false, true],
  ['a/b', 'x/a/b', false, undefined],
  ['*.log\n!keep.log', 'keep.log', false, false],
  ['a/**', 'a', true, undefined],
  ['a/**', 'a/b/c', false, true],
  ['# comment\n\n', 'x', false, undefined],
])('a .gitignore with %j about %s', async (text, path, isDirectory, expected) => {
  expect(await new IgnoreFile(text).ignores(path, isDirectory, new Pace())).toBe(expected);
});
