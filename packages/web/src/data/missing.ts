import { StoaProblem } from '@stoa/client';

/** Whether there is nothing under an address: no such thing, or what cannot even be the id of one. */
export function isMissing(error: unknown): boolean {
  if (!(error instanceof StoaProblem)) return false;
  return error.status === 404 || error.issues.some(({ path }) => path.startsWith('params'));
}
