import { StoaError } from '@stoa/protocol';
import Database from 'better-sqlite3';

/** The whole transaction is lost, whatever the savepoints: its members must run again, one by one. */
export function losesTransaction(error: unknown): boolean {
  return (
    error instanceof Database.SqliteError &&
    /^SQLITE_(FULL|IOERR|NOMEM|BUSY|INTERRUPT|CANTOPEN|READONLY)/.test(error.code)
  );
}

/** After a failed fsync nobody knows what is on disk; going on would acknowledge what may be lost. */
export function endsProcess(error: unknown): boolean {
  return error instanceof Database.SqliteError && error.code === 'SQLITE_IOERR_FSYNC';
}

/** What a caller may know of an engine failure. Errors of the domain pass unchanged. */
export function toStoaError(error: unknown): unknown {
  if (!(error instanceof Database.SqliteError)) return error;
  if (error.code === 'SQLITE_FULL') {
    return new StoaError('storage_full', 'The disk of the data directory is full', [], {
      cause: error,
    });
  }
  if (losesTransaction(error) || /^SQLITE_(CORRUPT|NOTADB)/.test(error.code)) {
    return new StoaError('storage_unavailable', `SQLite failed: ${error.code}`, [], {
      cause: error,
    });
  }
  return error;
}
