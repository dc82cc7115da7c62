import { SYSTEM, type TaskEntry } from '@stoa/protocol';
import { listLiveTasksOfSession, listQueuedRuns, listTasksOfSession, type Tx } from '@stoa/store';
import { decode } from '../kernel/codec.js';
import { type OpenSession, sessionToRead, sessionToServe } from '../sessions/session-gate.js';
import type { OpenTask } from '../tasks/write-task.js';
import { AGENT, agentDetail } from './agent-kind.js';

/** The task that a session works for, as long as it is not over; with `lock`, for who is to write about it. */
export function* taskOfSession(
  { sessionId, parentSessionId }: Pick<OpenSession, 'sessionId' | 'parentSessionId'>,
  { lock }: { readonly lock: boolean },
): Tx<OpenTask | undefined> {
  if (parentSessionId === null) return undefined;
  // Sessions are locked from the bottom up, here and wherever else two are.
  const session = lock
    ? yield* sessionToServe(parentSessionId)
    : yield* sessionToRead(SYSTEM, parentSessionId);
  const entry = (yield* agentsOf(session)).find(
    (task) => agentDetail(task).sessionId === sessionId,
  );
  return entry && { session, entry };
}

/** The agents of a session that are not over. */
export function* agentsOf({ topicId }: Pick<OpenSession, 'topicId'>): Tx<TaskEntry[]> {
  const rows = yield* listLiveTasksOfSession.all({ topicId });
  return rows.filter(({ kind }) => kind === AGENT.kind).map(({ entry }) => decode(entry));
}

/** Those that are over and still listed. */
export function* endedAgentsOf({ topicId }: Pick<OpenSession, 'topicId'>): Tx<TaskEntry[]> {
  const { kind } = AGENT;
  const first = { isEnded: 0, sortAt: -1, taskId: '', limit: ENDED_LOOKED_AT };
  const all = { topicId, kind, status: null, responsibleId: null, ...first };
  return (yield* listTasksOfSession.all(all)).map(({ entry }) => decode(entry));
}

/** More than are kept, but for those of which nobody heard yet. */
const ENDED_LOOKED_AT = 100;

/** What a session still has to do, the one under way first. */
export function* openRuns({ topicId, activeRunId }: OpenSession): Tx<string[]> {
  const queued = yield* listQueuedRuns.all({ topicId, limit: 10_000 });
  const runIds = queued.map(({ runId }) => runId);
  return activeRunId === null ? runIds : [activeRunId, ...runIds];
}
