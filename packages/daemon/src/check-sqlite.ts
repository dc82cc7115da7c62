import { isSafeSqlite, sqliteBindingName, sqliteVersion } from '@stoa/store';

export interface FoundSqlite {
  readonly version: string;
  /** The library: `node:sqlite` or `better-sqlite3`. */
  readonly library: string;
  readonly ok: boolean;
}

/** Which SQLite is used here, and whether it is free of known corruption bugs. */
export function checkSqlite(): FoundSqlite {
  const version = sqliteVersion();
  return { version, library: sqliteBindingName(), ok: isSafeSqlite(version) };
}
