import { findChannelFields, type LeaseRow, listOpenTurns, type Tx } from '@stoa/store';
import type { LockedChannel } from '../channels/channel-gate.js';
import type { AfterCancel } from '../channels/context.js';
import type { NewEvent } from '../kernel/log.js';
import type { SessionContext } from '../sessions/context.js';
import { reevaluateThread } from './reevaluate-thread.js';

/** Continues the open turns of a channel that was unarchived, unless it is paused. */
export function* reopenTurns(
  context: SessionContext,
  channel: LockedChannel,
  at: number,
): Tx<NewEvent[]> {
  const fields = yield* findChannelFields.first(channel);
  return fields?.paused === 0 ? yield* resumeTurns(context, channel, at) : [];
}

/** Continues the open turns of a channel after a pause. */
export function* resumeTurns(
  context: SessionContext,
  channel: LockedChannel,
  at: number,
): Tx<NewEvent[]> {
  const events: NewEvent[] = [];
  for (const { rootMessageId } of yield* listOpenTurns.all(channel)) {
    const change = { type: 'resumed' as const };
    events.push(...(yield* reevaluateThread(context, channel, rootMessageId, change, at)));
  }
  return events;
}

/** Cancels leases of a channel, thread by thread. */
export function* cancelTurns(
  context: SessionContext,
  channel: LockedChannel,
  leases: readonly LeaseRow[],
  then: AfterCancel,
  at: number,
): Tx<NewEvent[]> {
  const events: NewEvent[] = [];
  for (const rootMessageId of new Set(leases.map((lease) => lease.rootMessageId))) {
    const inThread = leases.filter((lease) => lease.rootMessageId === rootMessageId);
    const change = { type: 'cancelled' as const, leases: inThread, then };
    events.push(...(yield* reevaluateThread(context, channel, rootMessageId, change, at)));
  }
  return events;
}
