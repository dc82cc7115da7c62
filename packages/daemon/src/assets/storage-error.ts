import { StoaError } from '@stoa/protocol';

const FULL: unknown[] = ['ENOSPC', 'EDQUOT', 'SQLITE_FULL'];

/** A file system failure in the words of the registry; `place` is what was being written. */
export function asStorageError(error: unknown, place = 'the data directory'): unknown {
  if (error instanceof StoaError) return error;
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (FULL.includes(code)) {
    return new StoaError('storage_full', `The disk of ${place} is full`, [], { cause: error });
  }
  if (typeof code === 'string') {
    const detail = `${place[0]?.toUpperCase() ?? ''}${place.slice(1)} cannot be written: ${code}`;
    return new StoaError('storage_unavailable', detail, [], { cause: error });
  }
  return error;
}
