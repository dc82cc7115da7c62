import { findBackgroundTask, openSession, type Tx } from '@stoa/store';
import { decode } from '../kernel/codec.js';
import type { TaskContext } from './context.js';
import { isEnded } from './lifecycle.js';

/**
 * Whether the files of a task may be removed:
 *
 *   kept       no: the task goes on, can be revived, or its session can still read them
 *   past       yes: the task has ended, and its session ended long ago
 *   unlisted   yes: there is no such task, or it was evicted
 */
export type FileFate = 'kept' | 'past' | 'unlisted';

/** A session that ended before `endedBefore` counts as ended long ago. */
export function fileFates(
  context: TaskContext,
  taskIds: readonly string[],
  endedBefore: number,
): Promise<ReadonlyMap<string, FileFate>> {
  return context.store.read(function* () {
    const fates = new Map<string, FileFate>();
    for (const taskId of taskIds) fates.set(taskId, yield* fateOf(context, taskId, endedBefore));
    return fates;
  });
}

function* fateOf({ kinds }: TaskContext, taskId: string, endedBefore: number): Tx<FileFate> {
  const row = yield* findBackgroundTask.first({ taskId });
  if (!row) return 'unlisted';
  const entry = decode(row.entry);
  // The notice will contain the path of its output.
  if (!isEnded(entry.status) || entry.notice === 'due') return 'kept';
  // An agent that can be revived works in a session of its own.
  const worksIn = kinds.find(entry.kind)?.worksIn?.(entry);
  for (const sessionId of worksIn === undefined ? [row.sessionId] : [row.sessionId, worksIn]) {
    if (!(yield* isPastSession(sessionId, endedBefore))) return 'kept';
  }
  return 'past';
}

/** Whether a session ended before a time, or is unknown. */
export function* isPastSession(sessionId: string, endedBefore: number): Tx<boolean> {
  const session = yield* openSession.first({ sessionId });
  return !session || (session.endedAt !== null && session.endedAt < endedBefore);
}
