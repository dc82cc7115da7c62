import { LIMITS, StoaError } from '@stoa/protocol';
import { countLiveTasksOfSession, countRunningTasks, type Tx } from '@stoa/store';
import type { OpenSession } from '../sessions/session-gate.js';
import type { TaskKind } from './kind.js';

/** Whether one more task of a kind may run for a person. Running tasks are counted each time, so no slot can leak. */
export function* hasFreeSlot({ kind, atOnce }: TaskKind, responsibleId: string): Tx<boolean> {
  if (atOnce === undefined) return true;
  return ((yield* countRunningTasks.first({ responsibleId, kind }))?.count ?? 0) < atOnce;
}

/** Throws `too_many_tasks` if a session cannot even queue one more. */
export function* assertRoom(kind: TaskKind, { topicId, sessionId }: OpenSession): Tx<void> {
  const limit = kind.atOnceInSession;
  if (limit !== undefined) {
    const own = (yield* countLiveTasksOfSession.first({ topicId, kind: kind.kind }))?.count ?? 0;
    if (own >= limit) throw tooMany(kind, limit, sessionId);
  }
  const all = (yield* countLiveTasksOfSession.first({ topicId, kind: null }))?.count ?? 0;
  if (all < LIMITS.liveTasksPerSession) return;
  throw new StoaError('too_many_tasks', `${sessionId} has ${String(all)} background tasks already`);
}

export const tooMany = ({ kind }: TaskKind, limit: number, of: string): StoaError =>
  new StoaError('too_many_tasks', `${String(limit)} of kind ${kind} run for ${of} already`);
