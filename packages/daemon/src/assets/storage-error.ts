import { StoaError } from '@stoa/protocol';

const FULL: unknown[] = ['ENOSPC', 'EDQUOT', 'SQLITE_FULL'];

/** A file system failure in the words of the registry. */
export function asStorageError(error: unknown): unknown {
  if (error instanceof StoaError) return error;
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (FULL.includes(code)) {
    return new StoaError('storage_full', 'The disk of the data directory is full', [], {
      cause: error,
    });
  }
  if (typeof code === 'string') {
    return new StoaError(
      'storage_unavailable',
      `The data directory cannot be written: ${code}`,
      [],
      { cause: error },
    );
  }
  return error;
}
