import { actorIdOf, type Principal, StoaError, type TaskEntry } from '@stoa/protocol';
import { listSessionsAbove, type Tx } from '@stoa/store';
import { callerClass } from '../access/rules.js';

/**
 * The owner of the daemon, the person that the session works for, and the session with all sessions above it may direct a
 * task.
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
  throw new StoaError(
    'forbidden',
    'Only the owner, the person that its session works for, and sessions above may direct a task',
  );
}
