import type { TaskRow } from '@stoa/client';
import type { Task } from '@stoa/protocol';

/**
 * A row while the daemon is unreachable. Ended tasks stay ended; the state of the others is unknown, and
 * how long they have run neither.
 */
export function lastKnown(row: TaskRow, { endedAt }: Pick<Task, 'endedAt'>): TaskRow {
  if (endedAt !== undefined) return row;
  return { ...row, status: `unknown; last known: ${row.status}`, elapsedMs: undefined };
}
