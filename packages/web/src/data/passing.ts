import { StoaProblem } from '@stoa/client';

/** Whether what went wrong goes by: nobody answered, or the daemon cannot just now. */
export function isPassing(error: unknown): boolean {
  return error instanceof StoaProblem && error.status === 503;
}
