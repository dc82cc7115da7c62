import { describe, expect, it } from 'vitest';
import { sqliteBinding } from '../../../../../scripts/install.mjs';
import { type BindingName, chooseBinding, type Runtime, whyNotBuiltin } from './choose-binding.js';
import { sqliteBindingName } from './open.js';

const CHOICES: readonly (readonly [Runtime, BindingName])[] = [
  [{ node: '20.19.0', builtin: undefined }, 'better-sqlite3'],
  [{ node: '20.20.2', builtin: undefined }, 'better-sqlite3'],
  // Behind a flag, or built without SQLite.
  [{ node: '22.12.0', builtin: '3.53.4' }, 'better-sqlite3'],
  [{ node: '22.23.3', builtin: undefined }, 'better-sqlite3'],
  // Too old to be safe.
  [{ node: '22.13.0', builtin: '3.47.2' }, 'better-sqlite3'],
  [{ node: '24.18.0', builtin: '3.51.2' }, 'better-sqlite3'],
  [{ node: '22.13.0', builtin: '3.51.3' }, 'node:sqlite'],
  [{ node: '22.23.3', builtin: '3.51.3' }, 'node:sqlite'],
  [{ node: '24.21.0', builtin: '3.53.4' }, 'node:sqlite'],
  [{ node: '26.10.0', builtin: '3.53.4' }, 'node:sqlite'],
  [{ node: '25.0.0-nightly20260101', builtin: '3.52.0' }, 'node:sqlite'],
];

const REFUSED: readonly Runtime[] = [
  { node: '24.19.0', builtin: '3.46.1' },
  { node: '24.21.0', builtin: undefined },
  { node: '26.10.0', builtin: '3.51.2' },
];

describe('which SQLite is used', () => {
  it.each(CHOICES)('OP-2 OP-3 on %o is %s', (runtime, name) => {
    expect(chooseBinding(runtime)).toBe(name);
  });

  it.each(REFUSED)('OP-1 OP-3 on %o is none, and the refusal names both versions', (runtime) => {
    expect(() => chooseBinding(runtime)).toThrow(
      expect.objectContaining({
        code: 'sqlite_too_old',
        message: expect.stringMatching(
          new RegExp(`^Node ${runtime.node} has (no SQLite|SQLite ${runtime.builtin ?? '-'},)`),
        ) as string,
      }),
    );
  });

  it('is what the installation prepares for, on every Node', () => {
    for (const [runtime, name] of CHOICES) expect(sqliteBinding(runtime)).toBe(name);
    for (const runtime of REFUSED) expect(sqliteBinding(runtime)).toBeUndefined();
    expect(sqliteBinding()).toBe(sqliteBindingName());
  });

  it('OP-3 names the version of a SQLite that is not used for its age', () => {
    expect(whyNotBuiltin({ node: '22.13.0', builtin: '3.47.2' })).toBe(
      'Node 22.13.0 has SQLite 3.47.2, and 3.51.3 or newer is needed',
    );
  });
});
