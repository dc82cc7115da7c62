import type { EventData } from '@stoa/protocol';
import {
  type CancelReason,
  type Ceiling,
  channelTopic,
  type LeaseOutcome,
  type StoredItem,
  type Turn,
  type TurnDecision,
  type TurnTrigger,
} from '@stoa/protocol';
import type { Json } from '@stoa/store';
import { findMessage, type Tx, together } from '@stoa/store';
import { lowerCeiling } from '../authority/ceiling.js';
import { acceptItem } from '../inbox/accept-item.js';
import { decode } from '../kernel/codec.js';
import type { NewEvent } from '../kernel/log.js';
import { closeRun } from '../runs/end-run.js';
import { ceilingOf } from '../sessions/ceiling-of.js';
import type { SessionContext } from '../sessions/context.js';
import { type OpenSession, sessionToServe } from '../sessions/session-gate.js';
import type { Decisions } from './arbitrate.js';
import type { LockedChannel } from './context.js';
import { deliveryFor, sceneOf, type Unheard } from './delivery.js';
import type { ReadThread } from './read-thread.js';
import type { LiveLease } from './thread-state.js';

/** The message that those who are given a turn are to answer. */
interface ToAnswer {
  readonly messageId: string;
  readonly from: string;
  readonly fromName: string;
  readonly inputItems: readonly StoredItem[];
  /** Whose words they are, where that is not the author. */
  readonly requestedBy?: string | undefined;
  /** The ceiling under which it was written. */
  readonly ceiling?: Ceiling | undefined;
}

/** A message as those who get the turn receive it. */
export function toAnswer(
  messageId: string,
  posted: Pick<ToAnswer, 'inputItems' | 'requestedBy' | 'ceiling'> & {
    readonly author: { readonly id: string; readonly displayName: string };
  },
): ToAnswer {
  const { author, inputItems, requestedBy, ceiling } = posted;
  const { id: from, displayName: fromName } = author;
  return { messageId, from, fromName, inputItems, requestedBy, ceiling };
}

/** The same, of a message that the log holds; its items may have been edited since. */
export function toAnswerStored(
  messageId: string,
  message: { readonly posted: Json<EventData<'message_posted'>> } | undefined,
  inputItems: readonly StoredItem[],
): ToAnswer {
  if (!message) {
    return toAnswer(messageId, { author: { id: 'system', displayName: 'system' }, inputItems });
  }
  return toAnswer(messageId, { ...decode(message.posted), inputItems });
}

interface Arbitrated {
  readonly channel: LockedChannel;
  readonly thread: ReadThread;
  /** As it was before this was decided. */
  readonly turn: Turn;
  readonly decisions: Decisions;
  readonly trigger: TurnTrigger;
  readonly toAnswer: ToAnswer;
  /** What this commit adds to the thread. */
  readonly unheard: Unheard | undefined;
  readonly at: number;
}

/** Does what was decided, in the commit of what led to it: no grant without its item, no end without its run's. */
export function* carryOut(context: SessionContext, arbitrated: Arbitrated): Tx<NewEvent[]> {
  const { channel, decisions, trigger } = arbitrated;
  const events: NewEvent[] = [];
  for (const { leaseId, outcome } of decisions.ends) {
    events.push(...(yield* endRunOf(context, arbitrated.thread, leaseId, outcome)));
  }
  const granted = yield* grant(context, arbitrated, events);
  const data: TurnDecision = {
    trigger,
    turn: decisions.turn,
    candidates: [...decisions.candidates],
    ...(decisions.others.length === 0 ? {} : { others: [...decisions.others] }),
    candidateCount: decisions.candidateCount,
    granted,
    renewed: decisions.renewals.map(({ leaseId, deadline }: LiveLease) => ({ leaseId, deadline })),
    ended: decisions.ends.map((end) => {
      const lease = arbitrated.thread.leases.find(({ leaseId }) => leaseId === end.leaseId);
      return lease ? { ...end, memberId: lease.memberId } : end;
    }),
  };
  events.push({
    topic: channelTopic(channel.channelId),
    event: { type: 'turn_decided', data },
  });
  return events;
}

function* grant(
  context: SessionContext,
  { channel, thread, turn, decisions, toAnswer, unheard, at }: Arbitrated,
  events: NewEvent[],
): Tx<TurnDecision['granted']> {
  if (decisions.grants.length === 0) return [];
  const [scene, ...serving] = yield* together(
    sceneOf(channel, thread.channel, decisions.turn, unheard),
    ...decisions.grants.map(({ sessionId }) => sessionToServe(sessionId)),
  );
  const granted: TurnDecision['granted'] = [];
  for (const [i, session] of serving.entries()) {
    const { sessionId } = session;
    const { memberId = '' } = decisions.grants[i] ?? {};
    const accepted = yield* acceptItem(context, session, {
      kind: 'channel_delivery',
      rule: 'followup',
      from: toAnswer.from,
      fromName: toAnswer.fromName,
      inputItems: toAnswer.inputItems,
      origin: {
        channelId: channel.channelId,
        threadRootMessageId: turn.threadRootMessageId,
        messageId: toAnswer.messageId,
      },
      // What was called is in the turn before it was granted.
      delivery: deliveryFor(scene, turn, memberId, sessionId),
      metadata: {},
      requestedBy: toAnswer.requestedBy,
      ceiling: lowerCeiling(
        toAnswer.ceiling,
        yield* ceilingOfCaller(channel, turn, session, unheard),
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
  unheard: Unheard | undefined,
): Tx<Ceiling | undefined> {
  if (calledByMessageId === undefined || !called.includes(session.sessionId)) return undefined;
  if (unheard?.messageId === calledByMessageId) {
    return yield* ceilingOf(session, { by: unheard.author.id, ceiling: unheard.ceiling });
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

function* endRunOf(
  context: SessionContext,
  { leases }: ReadThread,
  leaseId: string,
  outcome: LeaseOutcome,
): Tx<NewEvent[]> {
  const lease = leases.find((known) => known.leaseId === leaseId);
  if (!lease) return [];
  const session = yield* sessionToServe(lease.sessionId);
  const reason = REASONS[outcome] ?? 'superseded';
  return yield* closeRun(context, session, lease.runId, { type: 'cancelled', reason });
}
