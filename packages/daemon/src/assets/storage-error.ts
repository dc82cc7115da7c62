import { StoaError } from '@stoa/protocol';

const FULL: unknown[] = ['ENOSPC', 'EDQUOT', 'SQLITE_FULL'];

/** Converts a file system failure to an error of the registry; `target` is what was being written. */
export function asStorageError(error: unknown, target = 'the data directory'): unknown {
  if (error instanceof StoaError) return error;
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (FULL.includes(code)) {
    return new StoaError('storage_full', `The disk of ${target} is full`, [], { cause: error });
  }
  if (typeof code === 'string') {
    const detail = `${target[0]?.toUpperCase() ?? ''}${target.slice(1)} cannot be written: ${code}`;
    return new StoaError('storage_unavailable', detail, [], { cause: error });
  }
  return error;
}
