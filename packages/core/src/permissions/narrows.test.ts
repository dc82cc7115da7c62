import { describe, expect, it } from 'vitest';
import { type Authority, inherit, narrows } from './narrows.js';

const MODES = ['plan', 'ask', 'auto-edit', 'full'] as const;

function authority(mode: Authority['mode'], allow: string[] = []): Authority {
  return { mode, rules: { allow } };
}

describe('delegated authority', () => {
  it('R-23 goes no further than the mode it comes from', () => {
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
    ['auto-edit', 'Shell(ls)', false],
    ['auto-edit', 'Read(../x)', false],
    ['full', 'Shell(rm *)', true],
    ['full', 'Fetch', true],
    ['full', 'Read(/etc/**)', false],
    ['full', 'Shell(', false],
  ] as const)('R-23 a parent in mode %s hands on %s: %s', (mode, rule, ok) => {
    expect(narrows(authority(mode), authority(mode, [rule])).ok).toBe(ok);
  });

  it('keeps what its parent denies and asks about, and only its own allow rules', () => {
    const parent: Authority = { mode: 'full', rules: { deny: ['A'], ask: ['B'], allow: ['C'] } };
    const child: Authority = { mode: 'ask', rules: { deny: ['D', 'A'], allow: [] } };
    expect(inherit(parent, child)).toEqual({
      mode: 'ask',
      rules: { deny: ['A', 'D'], ask: ['B'], allow: [] },
    });
  });
});
