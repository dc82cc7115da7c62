import {
  type CancelReason,
  LIMITS,
  type SessionEvent,
  sessionTopic,
  type WorkKind,
} from '@stoa/protocol';
import {
  type FullInboxItemRow,
  findRunRow,
  listItemsOfRun,
  listWaitingItemsOfRun,
  type Tx,
} from '@stoa/store';
import { decode } from '../kernel/codec.js';
import { afterFailure, atOnce, type RetryPolicy } from '../kernel/durable-queue.js';
import type { NewEvent } from '../kernel/log.js';
import { type RunFacts, terminalEvent } from '../runs/end-run.js';
import { RUN_NOT_ALLOWED, type RunEnd } from '../runs/run-end.js';
import type { SessionContext } from '../sessions/context.js';
import { waitsForBoundary } from '../sessions/records.js';
import { factsOf, inSession, requestedOfRun, type Work } from '../sessions/run-facts.js';
import type { OpenSession } from '../sessions/session-gate.js';
import { DEFAULT_PRIORITY } from './admit.js';

/** The inbox runs a requeued item when its turn comes; no time is added. */
const MAILBOX_RETRIES: RetryPolicy = { maxAttempts: LIMITS.mailboxAttempts, backoff: atOnce };

type Accepted = Extract<SessionEvent, { type: 'accepted' }>['data'];

/** Settles every item that a run was to take and did not. */
export function* settleItems(
  context: SessionContext,
  session: OpenSession,
  facts: RunFacts,
  end: RunEnd,
): Tx<NewEvent[]> {
  const { topicId } = session;
  const waiting = yield* listWaitingItemsOfRun.all({ topicId, runId: facts.runId });
  return waiting.flatMap((item) => settleItem(context, session, item, facts, end));
}

/**
 * An item that never reached the model. What only waited to be injected gets a run of its own, as long as
 * the session goes on. Otherwise it is dropped with a run that was cancelled, tried again if it is a
 * message of another session that has attempts left, or a dead letter, which can be replayed.
 */
function settleItem(
  context: SessionContext,
  session: OpenSession,
  item: FullInboxItemRow,
  facts: RunFacts,
  end: RunEnd,
): NewEvent[] {
  const { itemId } = item;
  const accepted = decode(item.accepted);
  const goesOn = end.type !== 'cancelled' || end.reason !== 'clear';
  if (goesOn && waitsForBoundary(item)) {
    return requeue(context, session, item, accepted, item.attempts, 'its run ended first');
  }
  if (end.type === 'cancelled') {
    if (item.kind === 'mailbox_delivery') {
      return settleMessage(context, session, item, accepted, facts, end.reason);
    }
    return [drop(session, itemId, facts, end.reason)];
  }
  if (end.type === 'completed') {
    const data = { itemId, how: 'start' as const, ...facts };
    return [inSession(session, { type: 'delivered', data })];
  }
  const reason = end.type === 'failed' ? end.failure.code : end.reason;
  const attempts = item.attempts + 1;
  // A person decided: trying again would only ask the same question again.
  const isFinal = reason === RUN_NOT_ALLOWED || item.kind !== 'mailbox_delivery';
  const next = isFinal
    ? 'dead_letter'
    : afterFailure(MAILBOX_RETRIES, attempts, context.clock.now());
  return next === 'dead_letter'
    ? deadLetter(session, item, accepted, reason)
    : requeue(context, session, item, accepted, attempts, reason);
}

/**
 * A message of another session whose run was cancelled. Its sender counts on it: it is dropped only by
 * who cancels its own run, and is a dead letter when the session is cleared or ends.
 */
function settleMessage(
  context: SessionContext,
  session: OpenSession,
  item: FullInboxItemRow,
  accepted: Accepted,
  facts: RunFacts,
  reason: CancelReason,
): NewEvent[] {
  if (reason === 'clear') return deadLetter(session, item, accepted, 'cleared');
  if (reason !== 'cancel_command') {
    return requeue(context, session, item, accepted, item.attempts, reason);
  }
  return [
    drop(session, item.itemId, facts, reason),
    ...tellSender(session, item, accepted, 'mailbox_dropped', 'it was cancelled'),
  ];
}

function drop(session: OpenSession, itemId: string, facts: RunFacts, by: CancelReason): NewEvent {
  const reason = by === 'cancel_command' ? 'cancelled' : by;
  return inSession(session, { type: 'dropped', data: { itemId, reason, ...facts } });
}

/** Gives an item a run of its own. */
export function requeue(
  context: SessionContext,
  session: OpenSession,
  { itemId, expiresAt }: Pick<FullInboxItemRow, 'itemId' | 'expiresAt'>,
  work: Pick<Accepted, 'kind' | 'from' | keyof Work>,
  attempts: number,
  reason: string,
): NewEvent[] {
  const { kind } = work;
  const facts = factsOf(session, context.ids.next('run'), work);
  const queued = {
    kind,
    rule: 'followup' as const,
    priority: priorityOf(kind),
    ...requestedOfRun(work, work.from),
    ...facts,
  };
  const until = expiresAt === null ? {} : { expiresAt };
  const requeued = { itemId, attempts, reason, ...until, ...facts };
  return [
    inSession(session, { type: 'queued', data: queued }),
    inSession(session, { type: 'requeued', data: requeued }),
  ];
}

const priorityOf = (kind: WorkKind): number => DEFAULT_PRIORITY[kind];

/** Nobody took it in time. A run that was queued for it alone has nothing to do then, and ends too. */
export function* expire(session: OpenSession, item: FullInboxItemRow): Tx<NewEvent[]> {
  const accepted = decode(item.accepted);
  const events = deadLetter(session, item, accepted, 'expired');
  const run = yield* findRunRow.first({ runId: item.runId });
  if (run?.status !== 'queued') return events;
  const others = yield* listItemsOfRun.all({ runId: item.runId });
  if (others.some(({ itemId, state }) => state === 'waiting' && itemId !== item.itemId)) {
    return events;
  }
  const facts = factsOf(session, item.runId, accepted);
  const end = { type: 'cancelled', reason: 'dropped' } as const;
  return [...events, inSession(session, terminalEvent(end, facts))];
}

/** Who sent it, if it was a session, reads of it in its own journal. */
function deadLetter(
  session: OpenSession,
  item: Pick<FullInboxItemRow, 'itemId' | 'runId'>,
  accepted: Accepted,
  reason: string,
): NewEvent[] {
  const facts = factsOf(session, item.runId, accepted);
  return [
    inSession(session, {
      type: 'dead_lettered',
      data: { itemId: item.itemId, reason, ...facts },
    }),
    ...tellSender(session, item, accepted, 'mailbox_dead_letter', reason),
  ];
}

function tellSender(
  session: OpenSession,
  { itemId, runId }: Pick<FullInboxItemRow, 'itemId' | 'runId'>,
  accepted: Accepted,
  code: string,
  reason: string,
): NewEvent[] {
  const { fromSessionId } = accepted.origin;
  if (fromSessionId === undefined) return [];
  const text = `Message ${itemId} to ${session.sessionId} could not be delivered: ${reason}`;
  const data = { code, text, ...factsOf(session, runId, accepted) };
  return [{ topic: sessionTopic(fromSessionId), event: { type: 'note', data } }];
}
