import { type SessionEvent, StoaError, sessionTopic, type TaskEntry } from '@stoa/protocol';
import { type BackgroundTaskRow, findBackgroundTask, findTaskEntry, type Tx } from '@stoa/store';
import { decode } from '../kernel/codec.js';
import type { Decision, NewEvent } from '../kernel/log.js';
import { inSession } from '../sessions/run-facts.js';
import { type OpenSession, sessionToServe } from '../sessions/session-gate.js';
import type { TaskContext } from './context.js';

export interface OpenTask {
  readonly session: OpenSession;
  readonly entry: TaskEntry;
}

interface Decided<R> {
  readonly events: readonly NewEvent[];
  readonly answer: R;
}

/** A task may move to another session between the read and the write. */
const TRIES = 10;

/**
 * Decides about a task while its session is locked. Throws `task_not_found`. Writes of the system record what has happened
 * already, so they wait while the store is unavailable; requests of people fail at once.
 */
export async function writeTask<R>(
  context: TaskContext,
  actor: string,
  taskId: string,
  decide: (task: OpenTask, at: number) => Tx<Decided<R>> | Decided<R>,
): Promise<R> {
  const wait = actor === 'system' ? { store: context.storeWait } : undefined;
  const find = () => context.store.read(() => taskRow(taskId));
  for (let tries = 0; tries < TRIES; tries += 1) {
    const { sessionId } = await (wait ? wait.store.run(find) : find());
    const outcome = await context.log.write({
      actor,
      lane: sessionTopic(sessionId),
      open: () => sessionToServe(sessionId),
      wait,
      *decide(session, at): Tx<Decision<{ answer: R } | undefined>> {
        const { topicId } = session;
        const row = yield* findTaskEntry.first({ topicId, taskId });
        if (!row) return { events: [], answer: () => undefined };
        const entry = decode(row.entry);
        const decided = decide({ session, entry }, at);
        const { events, answer } = 'next' in decided ? yield* decided : decided;
        return { events, answer: () => ({ answer }) };
      },
    });
    if (outcome) return outcome.answer;
  }
  throw new StoaError('task_not_found', `${taskId} kept moving between sessions`);
}

export function* taskRow(taskId: string): Tx<BackgroundTaskRow & { sessionId: string }> {
  const row = yield* findBackgroundTask.first({ taskId });
  if (!row) throw new StoaError('task_not_found', `There is no background task ${taskId}`);
  return row;
}

export const taskChanged = (
  session: OpenSession,
  taskId: string,
  change: Extract<SessionEvent, { type: 'background_task_changed' }>['data']['change'],
): NewEvent => inSession(session, { type: 'background_task_changed', data: { taskId, change } });
