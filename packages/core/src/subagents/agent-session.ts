import { SYSTEM, sessionTopic, type TaskEntry } from '@stoa/protocol';
import { listChildSessions, type Tx } from '@stoa/store';
import { decode } from '../kernel/codec.js';
import type { Decision } from '../kernel/log.js';
import { cancelRun } from '../runs/cancel-run.js';
import { endSession } from '../sessions/change-session.js';
import { sessionToRead, sessionToServe } from '../sessions/session-gate.js';
import { changeTask } from '../tasks/change-task.js';
import type { TaskContext } from '../tasks/context.js';
import { sendMissedNotice } from '../tasks/hand-over.js';
import { forget, settling } from '../tasks/settle-task.js';
import { idleSettlement } from './agent-end.js';
import { agentsOf, endedAgentsOf, openRuns, taskOfSession } from './agent-task.js';

/** The end of a run may requeue an item, whose run is cancelled in the next round. */
const CANCEL_ROUNDS = 5;

/** Settles the task of a session if it is done. Returns whether it did. */
export async function settleIfDone(context: TaskContext, worksIn: string): Promise<boolean> {
  const { store, log } = context;
  const known = await store.read(function* () {
    return yield* taskOfSession(yield* sessionToRead(SYSTEM, worksIn), { lock: false });
  });
  if (!known || !isRunning(known.entry)) return false;
  const evicted = await log.write({
    actor: 'system',
    lane: sessionTopic(worksIn),
    open: () => sessionToServe(worksIn),
    *decide(session, at): Tx<Decision<readonly TaskEntry[] | undefined>> {
      const task = yield* taskOfSession(session, { lock: true });
      const settlement = task && isRunning(task.entry) ? yield* idleSettlement(session) : undefined;
      if (!task || !settlement) return { events: [], answer: () => undefined };
      const settled = yield* settling(context, task, settlement, at);
      return { events: settled.events, answer: () => settled.evicted };
    },
  });
  if (evicted) forget(context, evicted);
  return evicted !== undefined;
}

/** Paused and queued tasks are not done, and `Stopping` settles those that are being stopped. */
const isRunning = ({ status, stopping }: TaskEntry): boolean =>
  status === 'running' && stopping === undefined;

/** Cancels all runs of a session. */
export async function cancelRuns(context: TaskContext, worksIn: string): Promise<void> {
  for (let round = 0; round < CANCEL_ROUNDS; round += 1) {
    const runIds = await context.store.read(function* () {
      return yield* openRuns(yield* sessionToRead(SYSTEM, worksIn));
    });
    if (runIds.length === 0) return;
    // Queued runs first, so that the end of the active run starts none of them.
    for (const runId of runIds.reverse()) {
      await cancelRun(context, SYSTEM, runId, 'cancel_command');
    }
  }
}

interface Resumed {
  readonly sessionId: string;
  readonly runId: string;
  /** Calls whose results were lost. */
  readonly unknownCallIds: readonly string[];
}

/**
 * A resumed run no longer waits for the agents of its earlier calls: running ones go to the background, and the end of one whose
 * result was lost is reported by a notice. `isWaitedFor`: a call since the run resumed waits for it.
 */
export async function releaseAgents(
  context: TaskContext,
  { sessionId, runId, unknownCallIds }: Resumed,
  isWaitedFor: (taskId: string) => boolean,
): Promise<void> {
  const { live, ended } = await context.store.read(function* () {
    const session = yield* sessionToRead(SYSTEM, sessionId);
    return { live: yield* agentsOf(session), ended: yield* endedAgentsOf(session) };
  });
  for (const { taskId, isForeground, runId: startedBy } of live) {
    if (!isForeground || startedBy !== runId || isWaitedFor(taskId)) continue;
    await changeTask(context, taskId, { isForeground: false });
  }
  for (const { taskId, isForeground, runId: startedBy, callId } of ended) {
    const isLost = callId !== undefined && unknownCallIds.includes(callId);
    if (isForeground && startedBy === runId && isLost) await sendMissedNotice(context, taskId);
  }
}

/** Ends the session of an evicted task. */
export async function endSessionOf(
  context: TaskContext,
  parentSessionId: string,
  taskId: string,
): Promise<void> {
  const worksIn = await context.store.read(function* () {
    for (const { sessionId } of yield* listChildSessions.all({ parentSessionId })) {
      const { metadata } = yield* sessionToRead(SYSTEM, sessionId);
      if (decode(metadata)['taskId'] === taskId) return sessionId;
    }
    return undefined;
  });
  if (worksIn !== undefined) await endSession(context, SYSTEM, worksIn);
}
