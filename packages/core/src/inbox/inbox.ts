import {
  actorIdOf,
  type InboxItem,
  type InboxItemState,
  type Principal,
  StoaError,
  type SubmitItem,
  sessionTopic,
  type WorkKind,
} from '@stoa/protocol';
import { findHuman, findInboxItem, listExpiredItems, listInboxItems, type Tx } from '@stoa/store';
import { admitContent, holdAssets } from '../assets/content.js';
import { dataOf, decode } from '../kernel/codec.js';
import { eachIsolated } from '../kernel/each-isolated.js';
import type { LogEntry } from '../kernel/entry.js';
import { idempotency } from '../kernel/idempotency.js';
import type { Decision } from '../kernel/log.js';
import { admitMetadata } from '../kernel/metadata.js';
import type { EventOf } from '../kernel/module.js';
import { readPage } from '../kernel/paging.js';
import type { SessionContext } from '../sessions/context.js';
import { lockChannelsOfSession } from '../sessions/lock-channels.js';
import { acceptedRecord, itemRecord, waitsForBoundary } from '../sessions/records.js';
import {
  assertMayRead,
  assertNotEnded,
  type OpenSession,
  sessionToChange,
  sessionToRead,
  sessionToServe,
} from '../sessions/session-gate.js';
import { type Arrival, acceptItem, assertMailboxRoom, assertRoom } from './accept-item.js';
import { expire, requeue } from './settle-item.js';

const MAX_EXPIRED = 100;

interface InboxQuery {
  readonly state?: InboxItemState | undefined;
  readonly kind?: WorkKind | undefined;
  readonly before?: number | undefined;
  readonly limit: number;
}

/** What a caller can do with the inboxes of sessions; `by` is the principal that the credential proved. */
export class Inbox {
  constructor(private readonly context: SessionContext) {}

  /** Accepts a prompt of a person. When it resolves, the item and its run are stored. */
  async submit(
    by: Principal,
    sessionId: string,
    request: SubmitItem,
    key?: string,
  ): Promise<InboxItem> {
    const { context } = this;
    const metadata = admitMetadata(request.metadata);
    const from = actorIdOf(by);
    const inputItems = await admitContent(context, request, from, function* (ready) {
      assertNotEnded(yield* sessionToChange(by, sessionId));
      yield* holdAssets(ready);
    });
    return context.log.write({
      actor: from,
      lane: sessionTopic(sessionId),
      *open() {
        const { rule } = request;
        // These may end the active run.
        if (rule === 'steer' || rule === 'interrupt') yield* lockChannelsOfSession(sessionId);
        return yield* sessionToChange(by, sessionId);
      },
      *decide(session, at): Tx<Decision<InboxItem>> {
        yield* holdAssets(inputItems);
        const arrival: Arrival = {
          kind: 'input',
          rule: request.rule,
          priority: request.priority,
          from,
          fromName: yield* nameOf(by),
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

  /** Queues a dead letter again, without an expiry time. */
  async replay(by: Principal, itemId: string): Promise<InboxItem> {
    const { context } = this;
    const { sessionId } = await context.store.read(() => findItem(itemId));
    await context.log.write({
      actor: actorIdOf(by),
      lane: sessionTopic(sessionId),
      open: () => sessionToChange(by, sessionId),
      *decide(session): Tx<Decision<void>> {
        assertNotEnded(session);
        const item = yield* findItem(itemId);
        if (item.state !== 'dead_letter') {
          throw new StoaError('item_not_dead', `${itemId} is ${item.state}`);
        }
        const accepted = decode(item.accepted);
        yield* assertRoom(session);
        if (accepted.kind === 'mailbox_delivery') yield* assertMailboxRoom(session);
        const lasting = { itemId, expiresAt: null };
        const events = requeue(context, session, lasting, accepted, 0, 'replayed');
        return { events, answer: () => undefined };
      },
    });
    return context.store.read(function* () {
      return itemRecord(yield* findItem(itemId));
    });
  }

  get(by: Principal, itemId: string): Promise<InboxItem> {
    return this.context.store.read(function* () {
      const item = yield* findItem(itemId);
      assertMayRead(by, yield* sessionToRead(by, item.sessionId));
      return itemRecord(item);
    });
  }

  list(by: Principal, sessionId: string, { state, kind, before, limit }: InboxQuery) {
    return this.context.store.read(function* () {
      const { topicId } = yield* sessionToRead(by, sessionId);
      const filter = {
        topicId,
        before: before ?? Number.MAX_SAFE_INTEGER,
        state: state ?? null,
        kind: kind ?? null,
      };
      const { rows, resumeAfter } = yield* readPage(limit, (count) =>
        listInboxItems.all({ ...filter, limit: count }),
      );
      return {
        items: rows.map(itemRecord),
        ...(resumeAfter && { nextBefore: resumeAfter.seq }),
      };
    });
  }
  /** Makes expired items dead letters, a bounded number. */
  async expireDue(): Promise<void> {
    const { context } = this;
    const now = context.clock.now();
    const due = await context.store.read(() => listExpiredItems.all({ now, limit: MAX_EXPIRED }));
    const ids = due.map(({ itemId, sessionId }) => ({ itemId, sessionId }));
    await eachIsolated(context, 'an item could not expire', ids, ({ itemId, sessionId }) =>
      context.log.write({
        actor: 'system',
        lane: sessionTopic(sessionId),
        open: () => sessionToServe(sessionId),
        *decide(session): Tx<Decision<void>> {
          const item = yield* findItem(itemId);
          const isTaken = item.runId === session.activeRunId && !waitsForBoundary(item);
          const events = item.state !== 'waiting' || isTaken ? [] : yield* expire(session, item);
          return { events, answer: () => undefined };
        },
      }),
    );
  }
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
  const data = events[0]?.event.data as EventOf<'accepted'>['data'];
  return { events, answer: () => acceptedRecord(session.sessionId, at, data) };
}

export const acceptedEntry = (sessionId: string, entry: LogEntry): InboxItem =>
  acceptedRecord(sessionId, entry.at, dataOf('accepted', entry));
