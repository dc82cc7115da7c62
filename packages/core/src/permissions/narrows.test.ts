import { describe, expect, it } from 'vitest';
import { type Authority, inherit, narrows } from './narrows.js';

const MODES = ['plan', 'ask', 'auto-edit', 'full'] as const;

function authority(mode: Authority['mode'], allow: string[] = [], workspace = '/work'): Authority {
  return { mode, rules: { allow }, workspace };
}

describe('delegated authority', () => {
  it('R-23 has a mode that allows no more than its parent', () => {
    for (const [from, parent] of MODES.entries()) {
      for (const [to, child] of MODES.entries()) {
        expect(narrows(authority(parent), authority(child)).ok).toBe(to <= from);
      }
    }
  });

  it('R-23 has no allow rule that its parent does not have', () => {
    const parent = authority('ask', ['Shell(git status*)']);
    expect(narrows(parent, authority('ask', ['Shell(git status*)']))).toEqual({ ok: true });
    expect(narrows(parent, authority('ask', ['Shell(git *)']))).toEqual({
      ok: false,
      what: 'the allow rule Shell(git *)',
    });
    expect(narrows(parent, authority('plan', ['Shell(rm *)'])).ok).toBe(false);
  });

  it.each([
    ['plan', 'Read', true],
    ['ask', 'Read(src/**)', true],
    ['ask', 'Read(/etc/**)', false],
    ['ask', 'Read(~/x)', false],
    ['ask', 'Edit(src/**)', false],
    ['auto-edit', 'Edit(src/**)', true],
    ['auto-edit', 'Edit', true],
    ['auto-edit', 'Edit(/etc/**)', false],
    ['auto-edit', 'Edit(.git/**)', false],
    ['full', 'Edit(.git/**)', true],
    ['auto-edit', 'Shell(ls)', false],
    ['auto-edit', 'Read(../x)', false],
    ['full', 'Shell(rm *)', true],
    ['full', 'Fetch', true],
    ['full', 'Read(/etc/**)', false],
    ['full', 'Shell(', false],
  ] as const)('R-23 a parent in mode %s can grant %s: %s', (mode, rule, ok) => {
    expect(narrows(authority(mode), authority(mode, [rule])).ok).toBe(ok);
  });

  it('R-23 gets a rule for relative paths only from a parent in the same workspace', () => {
    const parent = authority('ask', ['Edit(src/**)', 'Edit(/tmp/**)', 'Shell(ls)']);
    const below = (rule: string): Authority => authority('ask', [rule], '/work/src');
    expect(narrows(parent, below('Edit(src/**)')).ok).toBe(false);
    expect(narrows(parent, below('Edit(/tmp/**)')).ok).toBe(true);
    expect(narrows(parent, below('Shell(ls)')).ok).toBe(true);
  });

  it('R-23 keeps the rules that its parent can still grant, and its own deny rules', () => {
    const child: Authority = {
      ...authority('auto-edit', ['Edit', 'Shell(ls)', 'Shell(make)']),
      rules: { deny: ['D'], allow: ['Edit', 'Shell(ls)', 'Shell(make)'] },
    };
    expect(inherit(authority('full'), child)).toEqual(child);
    expect(inherit(authority('ask', ['Shell(ls)']), child)).toEqual({
      mode: 'ask',
      workspace: '/work',
      rules: { deny: ['D'], allow: ['Shell(ls)'] },
    });
  });
});
