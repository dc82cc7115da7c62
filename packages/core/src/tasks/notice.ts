import { LIMITS, type SessionEvent, type TaskEntry } from '@stoa/protocol';
import {
  findTaskOfNotice,
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

/** An item about a task. Items of the same origin are collected into one run. */
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

interface SentNotice {
  readonly events: readonly NewEvent[];
  readonly itemId: string;
  readonly recipient: OpenSession;
}

/**
 * Adds an item about a task to the inbox of its session. `full`: the inbox is full. Undefined: no session is left to receive
 * it.
 */
export function* sendNotice(
  context: TaskContext,
  session: OpenSession,
  task: TaskEntry,
  text: string,
): Tx<SentNotice | 'full' | undefined> {
  const recipient = yield* recipientOf(session);
  if (!recipient) return undefined;
  if ((yield* whyFull(recipient)) !== undefined) return 'full';
  const { events } = yield* acceptItem(context, recipient, arrivalOf(task, text));
  return { events, itemId: (events[0]?.event.data as Accepted).itemId, recipient };
}

/** Moves an entry to another session, in one commit. */
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

/**
 * A task whose notice goes to another session moves there. If that session ends before it reads the notice, the task moves
 * on.
 */
export const moveWithNotice = (
  session: OpenSession,
  { recipient }: SentNotice,
  task: TaskEntry,
): NewEvent[] =>
  recipient.sessionId === session.sessionId ? [] : handOver(session, recipient, task);

/** The session, or the nearest session above it that has not ended. */
function* recipientOf(session: OpenSession): Tx<OpenSession | undefined> {
  if (session.endedAt === null) return session;
  const above = yield* listSessionsAbove.all({ sessionId: session.sessionId });
  const living = above.find(({ endedAt }) => endedAt === null);
  return living && (yield* sessionToServe(living.sessionId));
}

/**
 * If a session ends before it reads a notice, the notice is due again, for a session above. The commit that ends the session
 * records it.
 */
export function* noticesDueAgain(
  session: OpenSession,
  closing: readonly NewEvent[],
): Tx<NewEvent[]> {
  const { topicId, endedAt } = session;
  const events: NewEvent[] = [];
  if (endedAt === null) return events;
  for (const { event } of closing) {
    if (event.type !== 'dropped') continue;
    const { itemId } = event.data;
    const task = yield* findTaskOfNotice.first({ topicId, itemId });
    if (task) events.push(taskChanged(session, task.taskId, { notice: 'due' }));
  }
  return events;
}

/** Drops the waiting items about one task of a session, or about all of them. */
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
