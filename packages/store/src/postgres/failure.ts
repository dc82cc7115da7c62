import { StoaError } from '@stoa/protocol';
import pg from 'pg';

/**
 * The server cannot be reached, or went away in the middle.
 *
 *   connecting     there is no server to talk to, or it has not answered for long: trying again at once
 *                  would only make callers wait
 *   before_commit  the server forgot the transaction with the connection: it may be run again
 *   commit         nobody knows whether it was kept: it must not be run again by itself. The caller
 *                  learns the outcome by repeating the request with its idempotency key
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

/** After these the server closes the connection, even if it can still say why. */
export const endsSession = (error: unknown): boolean => /^(08|57P|25P0[34])/.test(codeOf(error));

/**
 * What this connection had prepared no longer fits its tables, because a newer daemon has migrated
 * them. The transaction is undone, and a new connection prepares anew.
 */
export const isOutdatedPlan = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.routine === 'RevalidateCachedQuery';

/** An answer to COMMIT that leaves no doubt that nothing was kept. */
export const undoesCommit = (error: unknown): boolean =>
  codeOf(error) !== '' && !endsSession(error) && !/^(58|XX)/.test(codeOf(error));

/** Deadlock or serialisation: what was done has to be done again, with other locks or other rows. */
export const isContention = (error: unknown): boolean => /^40(001|P01)$/.test(codeOf(error));

/** Somebody else inserted the same key first; run again, the transaction sees it and decides anew. */
export const isUniqueViolation = (error: unknown): boolean => codeOf(error) === '23505';

/** What a caller may know of an engine failure. Errors of the domain pass unchanged. */
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
  // Resources, intervention, system errors, damaged data, a server that may only be read.
  if (/^(08|28|53|55P03|57|58|XX|25006|25P0[34])/.test(code)) {
    return unavailable(`PostgreSQL failed: ${reasonOf(error)} (${code})`, error);
  }
  return error;
}

const unavailable = (detail: string, cause: unknown): StoaError =>
  new StoaError('storage_unavailable', detail, [], { cause });

/** A refused connection to a name with several addresses has no message of its own, only a code. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message || ('code' in error ? String(error.code) : error.name);
}
