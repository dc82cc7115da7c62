import { StoaError } from '@stoa/protocol';
import pg from 'pg';

/**
 * The server cannot be reached, or the connection was lost.
 *
 *   connecting     there is no server, or it has not answered for long: an immediate retry would only delay
 *                  callers
 *   before_commit  the server discarded the transaction with the connection: it may run again
 *   commit         the outcome is unknown: it must not run again automatically. The caller learns the
 *                  outcome by repeating the request with its idempotency key
 */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';

  constructor(
    readonly phase: 'connecting' | 'before_commit' | 'commit',
    cause: unknown,
  ) {
    super(`The connection to PostgreSQL was lost (${phase}): ${reasonOf(cause)}`, { cause });
  }
}

const codeOf = (error: unknown): string =>
  error instanceof pg.DatabaseError ? (error.code ?? '') : '';

/** After these the server closes the connection, even if it can still send the reason. */
export const endsSession = (error: unknown): boolean => /^(08|57P|25P0[34])/.test(codeOf(error));

/**
 * A prepared statement of this connection no longer fits its tables, because a newer daemon migrated them. The
 * transaction is undone, and a new connection prepares the statement again.
 */
export const isOutdatedPlan = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.routine === 'RevalidateCachedQuery';

/** An answer to COMMIT that proves that nothing was stored. */
export const undoesCommit = (error: unknown): boolean =>
  codeOf(error) !== '' && !endsSession(error) && !/^(58|XX)/.test(codeOf(error));

/** Deadlock or serialisation failure: the transaction has to run again. */
export const isContention = (error: unknown): boolean => /^40(001|P01)$/.test(codeOf(error));

/** Another transaction inserted the same key first; when this one runs again, it sees that key and decides again. */
export const isUniqueViolation = (error: unknown): boolean => codeOf(error) === '23505';

/** What a caller may know about an engine failure. Errors of the domain are returned unchanged. */
export function toStoaError(error: unknown): unknown {
  if (error instanceof ConnectionLost) {
    const outcome = error.phase === 'commit' ? ', and whether it was committed is not known' : '';
    return unavailable(`PostgreSQL cannot be reached${outcome}: ${reasonOf(error.cause)}`, error);
  }
  const code = codeOf(error);
  if (code === '53100') {
    return new StoaError('storage_full', 'The disk of the database server is full', [], {
      cause: error,
    });
  }
  if (isContention(error)) {
    return unavailable('Other transactions were in the way, again and again', error);
  }
  // Resources, intervention, system errors, damaged data, a read-only server.
  if (/^(08|28|53|55P03|57|58|XX|25006|25P0[34])/.test(code)) {
    return unavailable(`PostgreSQL failed: ${reasonOf(error)} (${code})`, error);
  }
  return error;
}

const unavailable = (detail: string, cause: unknown): StoaError =>
  new StoaError('storage_unavailable', detail, [], { cause });

/** A refused connection to a name with several addresses has no message, only a code. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message || ('code' in error ? String(error.code) : error.name);
}
