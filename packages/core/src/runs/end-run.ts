import type { CancelReason, RunStatus, SessionEvent } from '@stoa/protocol';
import {
  findQueuedRun,
  listPendingApprovalsOfRun,
  listQueuedRuns,
  type Tx,
  together,
} from '@stoa/store';
import { withdrawn } from '../approvals/ask.js';
import { decode } from '../kernel/codec.js';
import { defineHook } from '../kernel/hooks.js';
import type { NewEvent } from '../kernel/log.js';
import type { SessionContext } from '../sessions/context.js';
import { factsOf, inSession } from '../sessions/run-facts.js';
import type { OpenSession } from '../sessions/session-gate.js';
import type { RunEnd } from './run-end.js';
import { mayBecome } from './run-status.js';

export type RunFacts = ReturnType<typeof factsOf>;

/**
 * A run is about to end: handlers read what it leaves open, and return functions that settle it in the same commit. They
 * get the facts of the run afterwards, so that on PostgreSQL all of it is read in one round trip.
 */
export const RUN_CLOSING = defineHook<
  [session: OpenSession, runId: string, end: RunEnd],
  Tx<readonly ((facts: RunFacts) => readonly NewEvent[])[]>
>('run closing');

/**
 * A run ended: work that waited for it continues in the same commit, such as its thread or its task. `closing` are the
 * events that end the run.
 */
export const RUN_ENDED = defineHook<
  [session: OpenSession, runId: string, end: RunEnd, closing: readonly NewEvent[]],
  Tx<readonly NewEvent[]>
>('run ended');

/** Ends a run and continues the work that waited for it. */
export function* endRun(
  context: SessionContext,
  session: OpenSession,
  runId: string,
  end: RunEnd,
): Tx<NewEvent[]> {
  const events = yield* closeRun(context, session, runId, end);
  if (events.length === 0) return [];
  const following = yield* context.hooks.collect(RUN_ENDED, session, runId, end, events);
  return [...events, ...following];
}

/**
 * Everything that the end of a run settles, in one commit: its questions are withdrawn, each of its items gets an outcome,
 * and the run gets its one terminal event. A run that has already ended gets no events; this is diagnosed.
 */
export function* closeRun(
  context: SessionContext,
  session: OpenSession,
  runId: string,
  end: RunEnd,
): Tx<NewEvent[]> {
  const [run, questions, settles] = yield* together(
    findQueuedRun.first({ runId }),
    listPendingApprovalsOfRun.all({ runId }),
    context.hooks.collect(RUN_CLOSING, session, runId, end),
  );
  if (!run || !mayBecome(run.status as RunStatus, end.type)) {
    context.diagnose('a run ended twice; the second end is ignored', {
      runId,
      status: run?.status,
      end: end.type,
    });
    return [];
  }
  const facts = factsOf(session, runId, decode(run.queued));
  const events = [
    ...questions.flatMap(({ approvalId }) => withdrawn(session, approvalId, facts)),
    ...settles.flatMap((settle) => settle(facts)),
  ];
  if (end.type === 'completed')
    events.push(inSession(session, { type: 'publishing', data: facts }));
  events.push(inSession(session, terminalEvent(end, facts)));
  return events;
}

/** Ends all runs of a session, the active one first. */
export function* endAllRuns(
  context: SessionContext,
  session: OpenSession,
  reason: CancelReason,
): Tx<NewEvent[]> {
  const all: NewEvent[] = [];
  const queued = yield* listQueuedRuns.all({ topicId: session.topicId, limit: 10_000 });
  const runIds = queued.map(({ runId }) => runId);
  if (session.activeRunId !== null) runIds.unshift(session.activeRunId);
  for (const runId of runIds) {
    all.push(...(yield* endRun(context, session, runId, { type: 'cancelled', reason })));
  }
  return all;
}

export function terminalEvent(end: RunEnd, facts: RunFacts): SessionEvent {
  switch (end.type) {
    case 'completed':
      return { type: 'completed', data: { output: [...end.output], ...facts } };
    case 'failed':
      return { type: 'failed', data: { failure: end.failure, ...facts } };
    case 'cancelled':
      return { type: 'cancelled', data: { reason: end.reason, ...facts } };
    case 'interrupted':
      return { type: 'interrupted', data: { reason: end.reason, ...facts } };
  }
}
