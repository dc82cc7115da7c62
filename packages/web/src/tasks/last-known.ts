import type { TaskRow } from '@stoa/client';
import type { Task } from '@stoa/protocol';

/**
 * A row while the daemon is away. One that had ended has ended; what became of the others since is not known, and
 * how long they have run neither.
 */
export function lastKnown(row: TaskRow, { endedAt }: Pick<Task, 'endedAt'>): TaskRow {
  if (endedAt !== undefined) return row;
  return { ...row, status: `not known now; was ${row.status}`, elapsedMs: undefined };
}
