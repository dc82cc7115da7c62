import {
  type CancelReason,
  type Ceiling,
  channelTopic,
  type EventData,
  type LeaseOutcome,
  type StoredItem,
  type Turn,
  type TurnDecision,
  type TurnTrigger,
} from '@stoa/protocol';
import { findMessage, type LeaseRow, type Tx, together } from '@stoa/store';
import { lowerCeiling } from '../authority/ceiling.js';
import type { LockedChannel } from '../channels/channel-gate.js';
import { SYSTEM_AUTHOR } from '../channels/publish-message.js';
import { acceptItem } from '../inbox/accept-item.js';
import { decode } from '../kernel/codec.js';
import type { NewEvent } from '../kernel/log.js';
import { closeRun } from '../runs/end-run.js';
import { ceilingOf } from '../sessions/ceiling-of.js';
import type { SessionContext } from '../sessions/context.js';
import { type OpenSession, sessionToServe } from '../sessions/session-gate.js';
import type { Decisions } from './arbitrate.js';
import { deliveryFor, type PendingMessage, readThreadContext } from './delivery.js';
import { itemsOf, type ReadThread } from './read-thread.js';

/** The message that opened a turn, which the sessions that get the turn answer. */
export interface OriginMessage
  extends Pick<EventData<'message_posted'>, 'messageId' | 'author' | 'requestedBy' | 'ceiling'> {
  readonly inputItems: readonly StoredItem[];
}

/** The origin of a turn as it is stored; an edit replaces its items. */
export function* readOrigin(topicId: number, messageId: string): Tx<OriginMessage> {
  const row = yield* findMessage.first({ topicId, messageId });
  if (row) return { ...decode(row.posted), inputItems: itemsOf(row) };
  return { messageId, author: SYSTEM_AUTHOR, inputItems: [] };
}

interface DecidedThread {
  readonly channel: LockedChannel;
  readonly thread: ReadThread;
  /** The turn before the decision. */
  readonly turn: Turn;
  readonly decisions: Decisions;
  readonly trigger: TurnTrigger;
  readonly origin: OriginMessage;
  readonly pendingMessage: PendingMessage | undefined;
  readonly at: number;
}

/** Carries out decisions: a grant queues a run, and the end of a lease cancels its run, in the same commit. */
export function* carryOut(context: SessionContext, decided: DecidedThread): Tx<NewEvent[]> {
  const { channel, thread, decisions, trigger } = decided;
  const events: NewEvent[] = [];
  const ended: TurnDecision['ended'] = [];
  for (const end of decisions.ends) {
    const lease = thread.leases.find(({ leaseId }) => leaseId === end.leaseId);
    ended.push(lease ? { ...end, memberId: lease.memberId } : end);
    // The run that triggered the decision has already ended in this commit.
    if (!lease || lease.runId === trigger.runId) continue;
    events.push(...(yield* cancelRun(context, lease, end.outcome)));
  }
  const granted = yield* grant(context, decided, events);
  const data: TurnDecision = {
    trigger,
    turn: decisions.turn,
    candidates: [...decisions.candidates],
    ...(decisions.others.length === 0 ? {} : { others: [...decisions.others] }),
    candidateCount: decisions.candidateCount,
    granted,
    renewed: decisions.renewals.map(({ leaseId, deadline }) => ({ leaseId, deadline })),
    ended,
  };
  events.push({
    topic: channelTopic(channel.channelId),
    event: { type: 'turn_decided', data },
  });
  return events;
}

function* grant(
  context: SessionContext,
  { channel, thread, turn, decisions, origin, pendingMessage, at }: DecidedThread,
  events: NewEvent[],
): Tx<TurnDecision['granted']> {
  if (decisions.grants.length === 0) return [];
  const [threadContext, ...sessions] = yield* together(
    readThreadContext(channel, thread.channel, decisions.turn, pendingMessage),
    ...decisions.grants.map(({ sessionId }) => sessionToServe(sessionId)),
  );
  const granted: TurnDecision['granted'] = [];
  for (const [i, session] of sessions.entries()) {
    const { sessionId } = session;
    const { memberId = '' } = decisions.grants[i] ?? {};
    const accepted = yield* acceptItem(context, session, {
      kind: 'channel_delivery',
      rule: 'followup',
      from: origin.author.id,
      fromName: origin.author.displayName,
      inputItems: origin.inputItems,
      origin: {
        channelId: channel.channelId,
        threadRootMessageId: turn.threadRootMessageId,
        messageId: origin.messageId,
      },
      // A grant removes the session from `called`, so this needs the turn before the decision.
      delivery: deliveryFor(threadContext, turn, memberId, sessionId),
      metadata: {},
      requestedBy: origin.requestedBy,
      ceiling: lowerCeiling(
        origin.ceiling,
        yield* ceilingOfCaller(channel, turn, session, pendingMessage),
      ),
    });
    events.push(...accepted.events);
    granted.push({
      leaseId: context.ids.next('lse'),
      memberId,
      sessionId,
      runId: accepted.runId,
      deadline: at + thread.policy.claimTimeoutMs,
      ...accepted.requested,
    });
  }
  return granted;
}

/** The ceiling that an agent passes on to the members that its reply calls. */
function* ceilingOfCaller(
  { topicId }: LockedChannel,
  { called, calledByMessageId }: Turn,
  session: OpenSession,
  pendingMessage: PendingMessage | undefined,
): Tx<Ceiling | undefined> {
  if (calledByMessageId === undefined || !called.includes(session.sessionId)) return undefined;
  if (pendingMessage?.messageId === calledByMessageId) {
    const { author, ceiling } = pendingMessage;
    return yield* ceilingOf(session, { by: author.id, ceiling });
  }
  const message = yield* findMessage.first({ topicId, messageId: calledByMessageId });
  if (!message) return undefined;
  const { author, ceiling } = decode(message.posted);
  return yield* ceilingOf(session, { by: author.id, ceiling });
}

const REASONS: Partial<Record<LeaseOutcome, CancelReason>> = {
  timeout: 'timeout',
  cancelled: 'cancel_command',
};

function* cancelRun(
  context: SessionContext,
  { sessionId, runId }: LeaseRow,
  outcome: LeaseOutcome,
): Tx<NewEvent[]> {
  const session = yield* sessionToServe(sessionId);
  const reason = REASONS[outcome] ?? 'superseded';
  return yield* closeRun(context, session, runId, { type: 'cancelled', reason });
}
