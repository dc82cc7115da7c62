import type { Tx } from '@stoa/store';
import type { OpenSession } from '../../access/session-gate.js';
import { taskOfSession } from './agent-task.js';

/**
 * Whether the runs of a session wait because the task does that it works for: it is queued or paused, or is
 * being stopped. Runs are otherwise taken up by themselves, after a restart too. They are held back where
 * they are claimed, for that is the one way by which any of them is begun, whoever hints at it; and the
 * task says it, not the session, so that there are not two truths.
 *
 * `isKnown`: whether a daemon that starts has looked yet at what the last one here left. Before that a task
 * that was running is not one that may go on.
 */
export function* isHeldBack(
  session: OpenSession,
  { place, isKnown }: { readonly place: string; readonly isKnown: boolean },
): Tx<boolean> {
  const task = yield* taskOfSession(session, { lock: false });
  if (!task) return false;
  const { status, stopping, place: runsAt } = task.entry;
  if (status !== 'running' || stopping !== undefined) return true;
  return session.activeRunId !== null && !isKnown && runsAt === place;
}
