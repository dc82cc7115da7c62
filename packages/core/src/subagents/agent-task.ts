import { SYSTEM, type TaskEntry } from '@stoa/protocol';
import { listLiveTasksOfSession, listQueuedRuns, listTasksOfSession, type Tx } from '@stoa/store';
import { decode } from '../kernel/codec.js';
import { type OpenSession, sessionToRead, sessionToServe } from '../sessions/session-gate.js';
import type { OpenTask } from '../tasks/write-task.js';
import { AGENT, agentDetail } from './agent-kind.js';

/** The task that a session works for, unless it has ended. `lock`: for a transaction that changes it. */
export function* taskOfSession(
  { sessionId, parentSessionId }: Pick<OpenSession, 'sessionId' | 'parentSessionId'>,
  { lock }: { readonly lock: boolean },
): Tx<OpenTask | undefined> {
  if (parentSessionId === null) return undefined;
  // Two sessions are always locked from the bottom up.
  const session = lock
    ? yield* sessionToServe(parentSessionId)
    : yield* sessionToRead(SYSTEM, parentSessionId);
  const entry = (yield* agentsOf(session)).find(
    (task) => agentDetail(task).sessionId === sessionId,
  );
  return entry && { session, entry };
}

/** The agents of a session that have not ended. */
export function* agentsOf({ topicId }: Pick<OpenSession, 'topicId'>): Tx<TaskEntry[]> {
  const rows = yield* listLiveTasksOfSession.all({ topicId });
  return rows.filter(({ kind }) => kind === AGENT.kind).map(({ entry }) => decode(entry));
}

/** The agents of a session that have ended and are still listed. */
export function* endedAgentsOf({ topicId }: Pick<OpenSession, 'topicId'>): Tx<TaskEntry[]> {
  const { kind } = AGENT;
  const first = { isEnded: 0, sortAt: -1, taskId: '', limit: ENDED_READ };
  const all = { topicId, kind, status: null, responsibleId: null, ...first };
  return (yield* listTasksOfSession.all(all)).map(({ entry }) => decode(entry));
}

/** More than `keepsFinished`: tasks with a due notice are listed beyond that. */
const ENDED_READ = 100;

/** The open runs of a session, the active one first. */
export function* openRuns({ topicId, activeRunId }: OpenSession): Tx<string[]> {
  const queued = yield* listQueuedRuns.all({ topicId, limit: 10_000 });
  const runIds = queued.map(({ runId }) => runId);
  return activeRunId === null ? runIds : [activeRunId, ...runIds];
}
