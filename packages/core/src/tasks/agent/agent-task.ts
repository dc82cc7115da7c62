import type { Principal, TaskEntry } from '@stoa/protocol';
import { listLiveTasks, listLiveTasksOfSession, listQueuedRuns, type Tx } from '@stoa/store';
import { type OpenSession, sessionToRead, sessionToServe } from '../../access/session-gate.js';
import type { TaskContext } from '../context.js';
import type { OpenTask } from '../write-task.js';
import { AGENT, agentDetail } from './agent-kind.js';

export const SYSTEM: Principal = { kind: 'system' };

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
  return rows
    .filter(({ kind }) => kind === AGENT.kind)
    .map(({ entry }) => JSON.parse(entry) as TaskEntry);
}

interface ForegroundAgent {
  readonly taskId: string;
  readonly runId: string;
}

/** The agents of this place that a run waits for. */
export async function foregroundAgents(context: TaskContext): Promise<ForegroundAgent[]> {
  const { place, sessions } = context;
  const found: ForegroundAgent[] = [];
  for (let after: string | undefined = ''; after !== undefined; ) {
    const from: string = after;
    const rows = await sessions.store.read(() =>
      listLiveTasks.all({ place, after: from, limit: PAGE }),
    );
    for (const { kind, entry } of rows) {
      if (kind !== AGENT.kind) continue;
      const { taskId, runId, isForeground, stopping } = JSON.parse(entry) as TaskEntry;
      if (isForeground && runId !== undefined && !stopping) found.push({ taskId, runId });
    }
    after = rows.length < PAGE ? undefined : rows.at(-1)?.taskId;
  }
  return found;
}

const PAGE = 100;

/** What a session still has to do, the one under way first. */
export function* openRuns({ topicId, activeRunId }: OpenSession): Tx<string[]> {
  const queued = yield* listQueuedRuns.all({ topicId, limit: 10_000 });
  const runIds = queued.map(({ runId }) => runId);
  return activeRunId === null ? runIds : [activeRunId, ...runIds];
}
