import { actorIdOf, type Principal, StoaError, type TaskEntry } from '@stoa/protocol';
import { listSessionsAbove, type Tx } from '@stoa/store';
import { callerClass } from '../access/rules.js';

/**
 * A background task is for the person its session works for and for the owner of the daemon; a session
 * has its own, and those of the sessions below it.
 */
export function* assertMayDirectTask(
  principal: Principal,
  { sessionId, responsibleId }: Pick<TaskEntry, 'sessionId' | 'responsibleId'>,
): Tx<void> {
  if (callerClass(principal) === 'admin') return;
  if (principal.kind === 'human' && actorIdOf(principal) === responsibleId) return;
  if (principal.kind === 'session') {
    const above = yield* listSessionsAbove.all({ sessionId });
    if (above.some((session) => session.sessionId === principal.id)) return;
  }
  throw new StoaError('forbidden', 'A task is for whom its session works for and the owner');
}
