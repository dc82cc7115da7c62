import { describe, expect, it } from 'vitest';
import { covers, matchesPath, parsePathPattern, patternFor } from './path-pattern.js';
import { ruleNameOf } from './rule-names.js';
import { extendRules, parseRule, problemsOf } from './rules.js';

const roots = { workspace: '/work', userHome: '/home/ada' };

describe('rules', () => {
  it('are extended in order and without duplicates', () => {
    expect(
      extendRules({ deny: ['b', 'a'], allow: ['x'] }, { deny: ['a', 'c'], ask: ['y'] }),
    ).toEqual({
      deny: ['b', 'a', 'c'],
      ask: ['y'],
      allow: ['x'],
    });
    expect(extendRules({}, {})).toEqual({});
  });

  it('name a tool, and may have a pattern', () => {
    expect(parseRule('SendMessage')).toEqual({
      ok: true,
      text: 'SendMessage',
      tool: 'SendMessage',
    });
    expect(parseRule('Shell(echo (x))')).toMatchObject({ ok: true, tool: 'Shell' });
    expect(parseRule('Read(a (b).txt)')).toMatchObject({ ok: true, tool: 'Read' });
  });

  it('that are broken name their tool and the problem', () => {
    expect(parseRule('SendMessage(x)')).toMatchObject({ ok: false, tool: 'SendMessage' });
    expect(parseRule('edit_file(x)')).toMatchObject({ ok: false, tool: 'Edit' });
    expect(parseRule('')).not.toHaveProperty('tool');
    const problems = problemsOf({ deny: ['Shell(x'], allow: ['Shell', 'Fetch(example.com)'] });
    expect(problems.map(({ rule }) => rule)).toEqual(['Shell(x', 'Fetch(example.com)']);
    expect(problems[1]?.problem).toContain('domain:');
  });

  it('have their own names for tools', () => {
    expect(['read_file', 'glob', 'grep', 'write_file', 'edit_file'].map(ruleNameOf)).toEqual([
      ...['Read', 'Read', 'Read', 'Edit', 'Edit'],
    ]);
    expect(
      ['shell', 'monitor', 'web_fetch', 'send_message', 'constructor'].map(ruleNameOf),
    ).toEqual([...['Shell', 'Monitor', 'Fetch', 'SendMessage', 'Constructor']]);
  });
});

describe('patterns for paths', () => {
  it.each([
    ['src/**', '/work/src/a/b.ts', true],
    ['src/**', '/work/src', true],
    ['src/**', '/work/srcs/a', false],
    ['src/**', '/src/a', false],
    ['src/*', '/work/src/a', true],
    ['src/*', '/work/src/a/b', false],
    ['src/**/*.ts', '/work/src/a.ts', true],
    ['src/**/*.ts', '/work/src/a/b/c.ts', true],
    ['**/x/**/y', '/work/a/x/b/c/y', true],
    ['*.md', '/work/a.md', true],
    ['*.md', '/work/docs/a.md', true],
    ['*.md', '/elsewhere/a.md', false],
    ['./*.md', '/work/docs/a.md', false],
    ['./a.md', '/work/a.md', true],
    ['a?.md', '/work/ab.md', true],
    ['a?*.md', '/work/a.md', false],
    ['*', '/work/.env', true],
    ['.env', '/work/a/.env', true],
    ['/abs/**', '/abs/x', true],
    ['/abs/**', '/work/abs/x', false],
    ['~/notes/*', '/home/ada/notes/a', true],
    ['~/notes/*', '/home/bob/notes/a', false],
    ['a\\*', '/work/a*', true],
    ['a\\*', '/work/ab', false],
    ['SRC/**', '/work/src/a', false],
    ['**', '/work', true],
  ])('%s and %s: %s', (text, path, expected) => {
    const pattern = parsePathPattern(text);
    if ('problem' in pattern) throw new Error(pattern.problem);
    expect(matchesPath(pattern, path, roots)).toBe(expected);
  });

  it('that forbid also match everything below the named path', () => {
    const pattern = parsePathPattern('secrets');
    if ('problem' in pattern) throw new Error(pattern.problem);
    expect(covers(pattern, '/work/a/secrets/key', roots)).toBe(true);
    expect(matchesPath(pattern, '/work/a/secrets/key', roots)).toBe(false);
  });

  it.each(['', '..', 'a/../b', '~bob/x', 'a\\', 'a\\/b'])('%j is refused', (text) => {
    expect(parsePathPattern(text)).toHaveProperty('problem');
  });

  it('can match exactly one path', () => {
    expect(patternFor('/work/a?b', roots)).toBe('./a\\?b');
    expect(patternFor('/etc/x', roots)).toBe('/etc/x');
  });

  it('with many stars match fast', () => {
    const pattern = parsePathPattern(`${'**/*a*'.repeat(30)}/b`);
    if ('problem' in pattern) throw new Error(pattern.problem);
    expect(matchesPath(pattern, `/work/${'aaaa/'.repeat(200)}c`, roots)).toBe(false);
  });
});
