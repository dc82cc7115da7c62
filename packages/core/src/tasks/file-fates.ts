import { findBackgroundTask, openSession, type Tx } from '@stoa/store';
import { decode } from '../kernel/codec.js';
import type { TaskContext } from './context.js';
import { isEnded } from './lifecycle.js';

/**
 * What may become of the files of a task:
 *
 *   kept       it goes on, or may, or its session is there to read them
 *   past       it is over, and so for long is the session that has it
 *   unlisted   it is no entry: it was evicted, or never was one
 */
export type FileFate = 'kept' | 'past' | 'unlisted';

/** The fate of each, where a session that ended before `endedBefore` did so long ago. */
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
  // Whoever is still to hear of its end is given the path of its output.
  if (!isEnded(entry.status) || entry.notice === 'due') return 'kept';
  // One that could go on by a message does so in the session it works in.
  const worksIn = kinds.find(entry.kind)?.worksIn?.(entry);
  for (const sessionId of worksIn === undefined ? [row.sessionId] : [row.sessionId, worksIn]) {
    if (!(yield* isPastSession(sessionId, endedBefore))) return 'kept';
  }
  return 'past';
}

/** Whether it ended before then; one that nobody knows did. */
export function* isPastSession(sessionId: string, endedBefore: number): Tx<boolean> {
  const session = yield* openSession.first({ sessionId });
  return !session || (session.endedAt !== null && session.endedAt < endedBefore);
}
