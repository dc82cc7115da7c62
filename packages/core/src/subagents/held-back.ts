import { findBackgroundTask, type Tx } from '@stoa/store';
import { decode } from '../kernel/codec.js';
import type { OpenSession } from '../sessions/session-gate.js';
import { isEnded } from '../tasks/lifecycle.js';
import { agentDetail } from './agent-kind.js';
import { taskOfSession } from './agent-task.js';

/**
 * Whether a session must not start or resume runs because of the task that it works for: the task is queued, paused or being
 * stopped, or has ended before its session. The check is made where runs are claimed, which every run passes, also after a
 * restart. It reads the task, so the session needs no state of its own for it.
 *
 * `isRecovered`: this daemon has recovered its tasks. Before that, a task that was running may have to be paused.
 */
export function* isHeldBack(
  session: OpenSession,
  { location, isRecovered }: { readonly location: string; readonly isRecovered: boolean },
): Tx<boolean> {
  const task = yield* taskOfSession(session, { lock: false });
  if (!task) return yield* isOver(session);
  const { status, stopping, location: runsAt } = task.entry;
  if (status !== 'running' || stopping !== undefined) return true;
  return session.activeRunId !== null && !isRecovered && runsAt === location;
}

/** Whether its task has ended and cannot be revived. A daemon may have stopped before it ended the session too. */
function* isOver({ sessionId, metadata }: OpenSession): Tx<boolean> {
  const { taskId } = decode(metadata);
  const row = typeof taskId === 'string' ? yield* findBackgroundTask.first({ taskId }) : undefined;
  if (!row) return false;
  const entry = decode(row.entry);
  const isItsOwn = agentDetail(entry).sessionId === sessionId;
  return isItsOwn && isEnded(entry.status) && entry.status !== 'completed';
}
