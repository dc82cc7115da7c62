import { StoaProblem } from '@stoa/client';

/** Whether an address leads to nothing: no such record, or an invalid id. */
export function isMissing(error: unknown): boolean {
  if (!(error instanceof StoaProblem)) return false;
  return error.status === 404 || error.issues.some(({ path }) => path.startsWith('params'));
}

/** Whether a failure is temporary: nothing answered, or the daemon is unavailable. */
export function isTemporary(error: unknown): boolean {
  return error instanceof StoaProblem && error.status === 503;
}
