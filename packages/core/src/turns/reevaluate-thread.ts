import { type TurnTrigger, textOf } from '@stoa/protocol';
import { findTurn, type TurnRow, type Tx } from '@stoa/store';
import type { LockedChannel } from '../channels/channel-gate.js';
import { decode } from '../kernel/codec.js';
import type { NewEvent } from '../kernel/log.js';
import type { SessionContext } from '../sessions/context.js';
import { carryOut, readOrigin } from './carry-out.js';
import { readThread } from './read-thread.js';
import { changedThread, decideAgain, type ThreadChange } from './thread-change.js';

/** Decides again who speaks in a thread that has a turn, in the commit that changes the thread. */
export function* reevaluateThread(
  context: SessionContext,
  channel: LockedChannel,
  rootMessageId: string,
  change: ThreadChange,
  at: number,
): Tx<NewEvent[]> {
  const { topicId } = channel;
  const row = yield* findTurn.first({ topicId, rootMessageId });
  if (!row || !needsDecision(row, change, at)) return [];
  const { turn } = decode(row.decided);
  const origin = yield* readOrigin(topicId, turn.originMessageId);
  const { messageId, inputItems } = origin;
  const thread = yield* readThread(channel, rootMessageId, { messageId, text: textOf(inputItems) });
  if (!thread) return [];
  const state = changedThread({ ...thread.state, turn }, change, at);
  return yield* carryOut(context, {
    channel,
    thread,
    turn: state.turn,
    decisions: decideAgain(state, thread.policy, change, at),
    trigger: triggerOf(change),
    origin,
    pendingMessage:
      change.type === 'run_ended' && change.reply ? { ...change.reply.posted, at } : undefined,
    at,
  });
}

/**
 * A lease that ends changes its thread even after the turn was closed. Everything else concerns open turns, and a
 * deadline only if no other decision has moved it since.
 */
function needsDecision({ isOpen, wakeAt }: TurnRow, { type }: ThreadChange, at: number): boolean {
  if (type === 'run_ended' || type === 'cancelled') return true;
  if (isOpen !== 1) return false;
  return type !== 'time' || (wakeAt !== null && wakeAt <= at);
}

const triggerOf = (change: ThreadChange): TurnTrigger =>
  change.type === 'run_ended'
    ? { type: change.type, runId: change.lease.runId }
    : { type: change.type };
