import {
  actorIdOf,
  type InboxItem,
  type Principal,
  type SessionEvent,
  StoaError,
  type SubmitItem,
  sessionTopic,
} from '@stoa/protocol';
import { findHuman, findInboxItem, listExpiredItems, type Tx } from '@stoa/store';
import { admitContent, holdAssets } from '../assets/content.js';
import { dataOf, decode } from '../kernel/codec.js';
import { eachApart } from '../kernel/each-apart.js';
import type { LogEntry } from '../kernel/entry.js';
import { idempotency } from '../kernel/idempotency.js';
import type { Decision } from '../kernel/log.js';
import { admitMetadata } from '../kernel/metadata.js';
import type { SessionContext } from '../sessions/context.js';
import { lockReached } from '../sessions/lock-reached.js';
import { acceptedRecord, itemRecord, waitsForBoundary } from '../sessions/records.js';
import {
  assertMayLookInto,
  assertNotEnded,
  type OpenSession,
  sessionToChange,
  sessionToRead,
  sessionToServe,
} from '../sessions/session-gate.js';
import { type Arrival, acceptItem, assertMailboxRoom, assertRoom } from './accept-item.js';
import { expire, requeue } from './settle-item.js';

type Accepted = Extract<SessionEvent, { type: 'accepted' }>['data'];

/** A prompt of a person: resolves when it is on disk and has a run. */
export async function submitItem(
  context: SessionContext,
  principal: Principal,
  sessionId: string,
  request: SubmitItem,
  key?: string,
): Promise<InboxItem> {
  const metadata = admitMetadata(request.metadata);
  const from = actorIdOf(principal);
  const inputItems = await admitContent(context, request, from, function* (ready) {
    assertNotEnded(yield* sessionToChange(principal, sessionId));
    yield* holdAssets(ready);
  });
  return context.log.write({
    actor: from,
    lane: sessionTopic(sessionId),
    *open() {
      // These may end what is under way.
      const { rule } = request;
      if (rule === 'steer' || rule === 'interrupt') yield* lockReached(sessionId);
      return yield* sessionToChange(principal, sessionId);
    },
    *decide(session, at): Tx<Decision<InboxItem>> {
      yield* holdAssets(inputItems);
      const arrival: Arrival = {
        kind: 'input',
        rule: request.rule,
        priority: request.priority,
        from,
        fromName: yield* nameOf(principal),
        inputItems,
        origin: {},
        metadata,
      };
      return accepted(session, at, (yield* acceptItem(context, session, arrival)).events);
    },
    idempotency: idempotency(context.secrets, key, { submit: request, sessionId }, (entry) =>
      acceptedEntry(sessionId, entry),
    ),
  });
}

/** Puts a dead letter back into its inbox; it does not expire a second time. */
export async function replayItem(
  context: SessionContext,
  principal: Principal,
  itemId: string,
): Promise<InboxItem> {
  const { sessionId } = await context.store.read(() => findItem(itemId));
  await context.log.write({
    actor: actorIdOf(principal),
    lane: sessionTopic(sessionId),
    open: () => sessionToChange(principal, sessionId),
    *decide(session): Tx<Decision<void>> {
      assertNotEnded(session);
      const item = yield* findItem(itemId);
      if (item.state !== 'dead_letter') {
        throw new StoaError('item_not_dead', `${itemId} is ${item.state}`);
      }
      const accepted = decode(item.accepted);
      yield* assertRoom(session);
      if (accepted.kind === 'mailbox_delivery') yield* assertMailboxRoom(session);
      // Who replays it wants it to arrive, whenever that is.
      const lasting = { itemId, expiresAt: null };
      const events = requeue(context, session, lasting, accepted, 0, 'replayed');
      return { events, answer: () => undefined };
    },
  });
  return context.store.read(function* () {
    return itemRecord(yield* findItem(itemId));
  });
}

export function getItem(
  context: SessionContext,
  principal: Principal,
  itemId: string,
): Promise<InboxItem> {
  return context.store.read(function* () {
    const item = yield* findItem(itemId);
    assertMayLookInto(principal, yield* sessionToRead(principal, item.sessionId));
    return itemRecord(item);
  });
}

/** Messages that nobody took in time become dead letters. Returns how many did. */
export async function expireItems(context: SessionContext, limit: number): Promise<number> {
  const now = context.clock.now();
  const due = await context.store.read(() => listExpiredItems.all({ now, limit }));
  const ids = due.map(({ itemId, sessionId }) => ({ itemId, sessionId }));
  await eachApart(context, 'an item could not expire', ids, ({ itemId, sessionId }) =>
    expireItem(context, sessionId, itemId),
  );
  return due.length;
}

async function expireItem(
  context: SessionContext,
  sessionId: string,
  itemId: string,
): Promise<void> {
  await context.log.write({
    actor: 'system',
    lane: sessionTopic(sessionId),
    open: () => sessionToServe(sessionId),
    *decide(session): Tx<Decision<void>> {
      const item = yield* findItem(itemId);
      const isUnderWay = item.runId === session.activeRunId && !waitsForBoundary(item);
      const events = item.state !== 'waiting' || isUnderWay ? [] : yield* expire(session, item);
      return { events, answer: () => undefined };
    },
  });
}

function* findItem(itemId: string) {
  const item = yield* findInboxItem.first({ itemId });
  if (!item) throw new StoaError('item_not_found', `There is no inbox item ${itemId}`);
  return item;
}

function* nameOf(principal: Principal): Tx<string> {
  if (principal.kind === 'system') return 'system';
  if (principal.kind !== 'human') return principal.id;
  return (yield* findHuman.first({ humanId: principal.id }))?.displayName ?? principal.id;
}

export function accepted(
  session: OpenSession,
  at: number,
  events: Decision<InboxItem>['events'],
): Decision<InboxItem> {
  const data = events[0]?.event.data as Accepted;
  return { events, answer: () => acceptedRecord(session.sessionId, at, data) };
}

export const acceptedEntry = (sessionId: string, entry: LogEntry): InboxItem =>
  acceptedRecord(sessionId, entry.at, dataOf('accepted', entry));
