import { describe, expect, it } from 'vitest';
import { isSafeSqlite } from './binding/versions.js';
import { assertSafeSqlite, sqliteVersion } from './version.js';

describe('the SQLite library', () => {
  it('that is installed is a safe one', () => {
    expect(isSafeSqlite(sqliteVersion())).toBe(true);
  });

  it.each(['3.51.3', '3.51.10', '3.52.0', '4.0.0'])('%s is safe', (version) => {
    expect(isSafeSqlite(version)).toBe(true);
  });

  it.each(['3.51.2', '3.50.99', '3.7.17', '2.99.0'])('%s is refused', (version) => {
    expect(() => {
      assertSafeSqlite(version);
    }).toThrow(
      expect.objectContaining({
        code: 'sqlite_too_old',
        message: expect.stringContaining(version) as string,
      }),
    );
  });
});
