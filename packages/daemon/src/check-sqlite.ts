import { isSafeSqlite, sqliteVersion } from '@stoa/store';

/** Which SQLite this installation brings, and whether it is free of known corruption bugs. */
export function checkSqlite(): { readonly version: string; readonly ok: boolean } {
  const version = sqliteVersion();
  return { version, ok: isSafeSqlite(version) };
}
