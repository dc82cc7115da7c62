import type { Task, TaskEntry } from '@stoa/protocol';
import { countPendingApprovals, type Tx } from '@stoa/store';
import type { TaskKinds } from './kinds.js';
import { isEnded } from './lifecycle.js';

/** An entry with what others know of it. */
export function* taskRecord(kinds: TaskKinds, entry: TaskEntry): Tx<Task> {
  const sessionId = isEnded(entry.status) ? undefined : kinds.find(entry.kind)?.worksIn?.(entry);
  const pending = sessionId && (yield* countPendingApprovals.first({ sessionId }));
  return { ...entry, pendingApprovals: pending ? pending.count : 0 };
}
