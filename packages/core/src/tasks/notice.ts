import { LIMITS, type SessionEvent, type TaskEntry } from '@stoa/protocol';
import {
  findToldTask,
  listItemsOfRun,
  listQueuedRuns,
  listSessionsAbove,
  type Tx,
} from '@stoa/store';
import { type Arrival, acceptItem, whyFull } from '../inbox/accept-item.js';
import { decode } from '../kernel/codec.js';
import type { NewEvent } from '../kernel/log.js';
import { endRun } from '../runs/end-run.js';
import { factsOf, inSession } from '../sessions/run-facts.js';
import { type OpenSession, sessionToServe } from '../sessions/session-gate.js';
import type { TaskContext } from './context.js';
import { taskChanged } from './write-task.js';

type Accepted = Extract<SessionEvent, { type: 'accepted' }>['data'];

/** What tells a session something about one of its tasks. Those of one place are taken together. */
function arrivalOf(
  { taskId, kind, description, origin, ceiling }: TaskEntry,
  text: string,
): Arrival {
  return {
    kind: 'task_notice',
    rule: 'collect',
    from: 'system',
    fromName: `${kind} ${taskId}`,
    subject: description === '' ? undefined : description,
    inputItems: [{ type: 'text', text: text.slice(0, LIMITS.textChars).toWellFormed() }],
    origin,
    metadata: { taskId, taskKind: kind },
    ceiling,
  };
}

interface Told {
  readonly events: readonly NewEvent[];
  /** The item they make, and in whose inbox. */
  readonly itemId: string;
  readonly listener: OpenSession;
}

/** The events that tell of it; `full` where there is no room; undefined: nobody is left. */
export function* tellOwner(
  context: TaskContext,
  session: OpenSession,
  task: TaskEntry,
  text: string,
): Tx<Told | 'full' | undefined> {
  const listener = yield* listenerOf(session);
  if (!listener) return undefined;
  if ((yield* whyFull(listener)) !== undefined) return 'full';
  const { events } = yield* acceptItem(context, listener, arrivalOf(task, text));
  return { events, itemId: (events[0]?.event.data as Accepted).itemId, listener };
}

/** Where an entry goes: it is never in none of the two, and never in both. */
export const handOver = (from: OpenSession, to: OpenSession, task: TaskEntry): NewEvent[] => {
  const { taskId } = task;
  const received = { ...task, sessionId: to.sessionId };
  return [
    inSession(from, { type: 'background_task_handed_over', data: { taskId, to: to.sessionId } }),
    inSession(to, {
      type: 'background_task_received',
      data: { task: received, from: from.sessionId },
    }),
  ];
};

/** An end that is told to one above belongs there from then on: who does not live to hear it passes it on. */
export const goesAlong = (session: OpenSession, { listener }: Told, task: TaskEntry): NewEvent[] =>
  listener.sessionId === session.sessionId ? [] : handOver(session, listener, task);

/** Its session, or the nearest above it that goes on. */
function* listenerOf(session: OpenSession): Tx<OpenSession | undefined> {
  if (session.endedAt === null) return session;
  const above = yield* listSessionsAbove.all({ sessionId: session.sessionId });
  const living = above.find(({ endedAt }) => endedAt === null);
  return living && (yield* sessionToServe(living.sessionId));
}

/**
 * A session that ends before it has heard of the end of a task: that is to be told again, to one above it.
 * It stands in the commit that ends the session, so whoever looks for what is due finds it.
 */
export function* dueAgain(session: OpenSession, closing: readonly NewEvent[]): Tx<NewEvent[]> {
  const { topicId, endedAt } = session;
  const events: NewEvent[] = [];
  if (endedAt === null) return events;
  for (const { event } of closing) {
    if (event.type !== 'dropped') continue;
    const { itemId } = event.data;
    const told = yield* findToldTask.first({ topicId, itemId });
    if (told) events.push(taskChanged(session, told.taskId, { notice: 'due' }));
  }
  return events;
}

/** Drops what waits to be told about one task of a session, or about all of them. */
export function* dropNotices(
  context: TaskContext,
  session: OpenSession,
  taskId?: string,
): Tx<NewEvent[]> {
  const { topicId } = session;
  const events: NewEvent[] = [];
  const queued = yield* listQueuedRuns.all({ topicId, limit: LIMITS.queuedRunsPerSession });
  for (const { runId, kind } of queued) {
    if (kind !== 'task_notice') continue;
    const waiting = (yield* listItemsOfRun.all({ runId })).filter(
      ({ state }) => state === 'waiting',
    );
    const dropped = waiting.filter(
      ({ accepted }) => taskId === undefined || decode(accepted).metadata['taskId'] === taskId,
    );
    if (dropped.length === 0) continue;
    if (dropped.length === waiting.length) {
      const end = { type: 'cancelled', reason: 'dropped' } as const;
      events.push(...(yield* endRun(context, session, runId, end)));
      continue;
    }
    for (const { itemId, accepted } of dropped) {
      const facts = factsOf(session, runId, decode(accepted));
      const data = { itemId, reason: 'stopped', ...facts };
      events.push(inSession(session, { type: 'dropped', data }));
    }
  }
  return events;
}
