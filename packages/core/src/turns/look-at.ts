import type { TurnTrigger } from '@stoa/protocol';
import { findChannelFields, findMessage, findTurn, listOpenTurns, type Tx } from '@stoa/store';
import { decode } from '../kernel/codec.js';
import { textOf } from '../kernel/item-text.js';
import type { NewEvent } from '../kernel/log.js';
import type { SessionContext } from '../sessions/context.js';
import { arbitrate } from './arbitrate.js';
import { carryOut, toAnswerStored } from './carry-out.js';
import type { LockedChannel } from './context.js';
import { itemsOf, readThread } from './read-thread.js';

/** Decides anew about a thread whose turn is open. */
export function* lookAt(
  context: SessionContext,
  channel: LockedChannel,
  rootMessageId: string,
  trigger: TurnTrigger,
  at: number,
): Tx<NewEvent[]> {
  const { topicId } = channel;
  const row = yield* findTurn.first({ topicId, rootMessageId });
  if (row?.isOpen !== 1) return [];
  // Somebody else looked at it meanwhile.
  if (trigger.type === 'time' && (row.wakeAt === null || row.wakeAt > at)) return [];
  const { turn } = decode(row.decided);
  const messageId = turn.originMessageId;
  const message = yield* findMessage.first({ topicId, messageId });
  if (!message) return [];
  const inputItems = itemsOf(message);
  const thread = yield* readThread(channel, rootMessageId, { messageId, text: textOf(inputItems) });
  if (!thread) return [];
  // What lets a channel go on is in the same commit.
  const paused = trigger.type !== 'resumed' && thread.around.paused;
  return yield* carryOut(context, {
    channel,
    thread,
    turn,
    decisions: arbitrate({ ...thread.around, paused, turn }, thread.policy, at),
    trigger,
    toAnswer: toAnswerStored(messageId, message, inputItems),
    unheard: undefined,
    at,
  });
}

/** What was left when a channel was archived goes on now, unless it was paused besides. */
export function* reopenTurns(
  context: SessionContext,
  channel: LockedChannel,
  at: number,
): Tx<NewEvent[]> {
  const fields = yield* findChannelFields.first(channel);
  return fields?.paused === 0 ? yield* resumeTurns(context, channel, at) : [];
}

/** What people said while a channel was paused is answered now. */
export function* resumeTurns(
  context: SessionContext,
  channel: LockedChannel,
  at: number,
): Tx<NewEvent[]> {
  const events: NewEvent[] = [];
  for (const { rootMessageId } of yield* listOpenTurns.all(channel)) {
    events.push(...(yield* lookAt(context, channel, rootMessageId, { type: 'resumed' }, at)));
  }
  return events;
}
