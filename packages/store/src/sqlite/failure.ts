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

const isDamage = ({ code }: { readonly code: string }): boolean =>
  /^SQLITE_(?:CORRUPT|NOTADB)/.test(code);

/** For who starts a daemon, and can do something about the file. */
export function openingFailure(error: unknown, path: string): unknown {
  if (!(error instanceof Database.SqliteError) || !isDamage(error)) return toStoaError(error);
  return new StoaError(
    'storage_unavailable',
    `${path} is damaged, or no database (${error.code}). Keep it to look into, and put back a copy that stoa backup made: docs/operations.md, Restoring`,
    [],
    { cause: error },
  );
}

/** What a caller may know of an engine failure. Errors of the domain pass unchanged. */
export function toStoaError(error: unknown): unknown {
  if (!(error instanceof Database.SqliteError)) return error;
  if (error.code === 'SQLITE_FULL') {
    return new StoaError('storage_full', 'The disk of the data directory is full', [], {
      cause: error,
    });
  }
  if (losesTransaction(error) || isDamage(error)) {
    return new StoaError('storage_unavailable', `SQLite failed: ${error.code}`, [], {
      cause: error,
    });
  }
  return error;
}
