import { type CancelReason, LIMITS, type SessionEvent, sessionTopic } from '@stoa/protocol';
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

/** A requeued item waits in the order of the inbox and no longer. */
const MAILBOX_RETRIES: RetryPolicy = { maxAttempts: LIMITS.mailboxAttempts, backoff: atOnce };

type Accepted = Extract<SessionEvent, { type: 'accepted' }>['data'];

/** Settles the items that wait for a run that ends. */
export function* settleItems(
  context: SessionContext,
  session: OpenSession,
  runId: string,
  end: RunEnd,
): Tx<((facts: RunFacts) => NewEvent[])[]> {
  const waiting = yield* listWaitingItemsOfRun.all({ topicId: session.topicId, runId });
  return waiting.map((item) => (facts) => settleItem(context, session, item, facts, end));
}

/**
 * Settles an item that did not reach the model. An item that waited to be injected gets a run of its own, unless the session is
 * cleared. Otherwise an item of a cancelled run is dropped, a message of another session is retried while attempts are left,
 * and everything else is a dead letter.
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
  const isCleared = end.type === 'cancelled' && end.reason === 'clear';
  if (!isCleared && waitsForBoundary(item)) {
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
  // A person refused the run; a retry would ask the same question again.
  const isFinal = reason === RUN_NOT_ALLOWED || item.kind !== 'mailbox_delivery';
  const next = isFinal
    ? 'dead_letter'
    : afterFailure(MAILBOX_RETRIES, attempts, context.clock.now());
  return next === 'dead_letter'
    ? deadLetter(session, item, accepted, reason)
    : requeue(context, session, item, accepted, attempts, reason);
}

/**
 * Settles a message of another session whose run was cancelled: it is dropped only if its own run was cancelled, and is a
 * dead letter when the session is cleared or ends.
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
    ...noteToSender(session, item, accepted, 'mailbox_dropped', 'it was cancelled'),
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
    priority: DEFAULT_PRIORITY[kind],
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

/** Makes an expired item a dead letter, and cancels its queued run if no other item waits for that. */
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

/** If a session sent the item, its journal gets a note. */
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
    ...noteToSender(session, item, accepted, 'mailbox_dead_letter', reason),
  ];
}

function noteToSender(
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
