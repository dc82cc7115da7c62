import { StoaError } from '@stoa/protocol';
import { sqliteCodeOf } from './binding/code.js';

/** The whole transaction is lost, including its savepoints: its members must run again, one by one. */
export function losesTransaction(error: unknown): boolean {
  return /^SQLITE_(FULL|IOERR|NOMEM|BUSY|INTERRUPT|CANTOPEN|READONLY)/.test(
    sqliteCodeOf(error) ?? '',
  );
}

/** After a failed fsync the state of the disk is unknown; continuing would acknowledge writes that may be lost. */
export function endsProcess(error: unknown): boolean {
  return sqliteCodeOf(error) === 'SQLITE_IOERR_FSYNC';
}

/** The file is damaged, or was never a database. */
export function isDamage(error: unknown): boolean {
  return /^SQLITE_(?:CORRUPT|NOTADB)/.test(sqliteCodeOf(error) ?? '');
}

/** For people who start a daemon and can repair the file. */
export function openingFailure(error: unknown, path: string): unknown {
  const code = sqliteCodeOf(error);
  if (code === undefined || !isDamage(error)) return toStoaError(error);
  return new StoaError(
    'storage_unavailable',
    `${path} is damaged, or no database (${code}). Keep it to look into, and put back a copy that stoa backup made: docs/operations.md, Restoring`,
    [],
    { cause: error },
  );
}

/** What a caller may know about an engine failure. Errors of the domain are returned unchanged. */
export function toStoaError(error: unknown): unknown {
  const code = sqliteCodeOf(error);
  if (code === undefined) return error;
  if (code === 'SQLITE_FULL') {
    return new StoaError('storage_full', 'The disk of the data directory is full', [], {
      cause: error,
    });
  }
  if (losesTransaction(error) || isDamage(error)) {
    return new StoaError('storage_unavailable', `SQLite failed: ${code}`, [], {
      cause: error,
    });
  }
  return error;
}
