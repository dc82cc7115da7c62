import { findBackgroundTask, type Tx } from '@stoa/store';
import { decode } from '../kernel/codec.js';
import type { OpenSession } from '../sessions/session-gate.js';
import { isEnded } from '../tasks/lifecycle.js';
import { agentDetail } from './agent-kind.js';
import { taskOfSession } from './agent-task.js';

/**
 * Whether the runs of a session wait because the task does that it works for: it is queued or paused, is
 * being stopped, or has ended and its session has not yet. Runs are otherwise taken up by themselves, after
 * a restart too. They are held back where they are claimed, for that is the one way by which any of them is
 * begun, whoever hints at it; and the task says it, not the session, so that there are not two truths.
 *
 * `isKnown`: whether a daemon that starts has looked yet at what the last one here left. Before that a task
 * that was running is not one that may go on.
 */
export function* isHeldBack(
  session: OpenSession,
  { location, isKnown }: { readonly location: string; readonly isKnown: boolean },
): Tx<boolean> {
  const task = yield* taskOfSession(session, { lock: false });
  if (!task) return yield* isOver(session);
  const { status, stopping, location: runsAt } = task.entry;
  if (status !== 'running' || stopping !== undefined) return true;
  return session.activeRunId !== null && !isKnown && runsAt === location;
}

/** Whether its task has ended and cannot be revived: a daemon may have died before it ended the session too. */
function* isOver({ sessionId, metadata }: OpenSession): Tx<boolean> {
  const { taskId } = decode(metadata);
  const row = typeof taskId === 'string' ? yield* findBackgroundTask.first({ taskId }) : undefined;
  if (!row) return false;
  const entry = decode(row.entry);
  const isItsOwn = agentDetail(entry).sessionId === sessionId;
  return isItsOwn && isEnded(entry.status) && entry.status !== 'completed';
}
