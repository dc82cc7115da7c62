import type { Turn } from '@stoa/protocol';
import { findMessage, findRun, findTurn, type LeaseRow, type Tx } from '@stoa/store';
import { decode } from '../kernel/codec.js';
import { textOf } from '../kernel/item-text.js';
import type { NewEvent } from '../kernel/log.js';
import type { SessionContext } from '../sessions/context.js';
import { arbitrate, type Decisions, served } from './arbitrate.js';
import { carryOut, toAnswerStored } from './carry-out.js';
import type { LockedChannel } from './context.js';
import { itemsOf, type ReadThread, readThread } from './read-thread.js';

/** Whether the next may speak in place of who is cancelled, or the turn is over. */
export type Then = 'pass_on' | 'close';

/** Somebody who may do so takes the turn away from these, thread by thread. */
export function* cancelTurns(
  context: SessionContext,
  channel: LockedChannel,
  leases: readonly LeaseRow[],
  then: Then,
  at: number,
): Tx<NewEvent[]> {
  const events: NewEvent[] = [];
  for (const rootMessageId of new Set(leases.map((lease) => lease.rootMessageId))) {
    const here = leases.filter((lease) => lease.rootMessageId === rootMessageId);
    events.push(...(yield* cancelIn(context, channel, here, then, at)));
  }
  return events;
}

function* cancelIn(
  context: SessionContext,
  channel: LockedChannel,
  leases: readonly LeaseRow[],
  then: Then,
  at: number,
): Tx<NewEvent[]> {
  const { topicId } = channel;
  const rootMessageId = leases[0]?.rootMessageId ?? '';
  const row = yield* findTurn.first({ topicId, rootMessageId });
  if (!row) return [];
  const turn = yield* charged(decode(row.decided).turn, leases);
  const messageId = turn.originMessageId;
  const message = yield* findMessage.first({ topicId, messageId });
  const inputItems = message ? itemsOf(message) : [];
  const thread = yield* readThread(channel, rootMessageId, { messageId, text: textOf(inputItems) });
  if (!thread) return [];
  return yield* carryOut(context, {
    channel,
    thread,
    turn,
    decisions: decide(thread, turn, leases, then, at),
    trigger: { type: 'cancelled' },
    toAnswer: toAnswerStored(messageId, message, inputItems),
    unheard: undefined,
    at,
  });
}

function decide(
  { around, policy }: ReadThread,
  before: Turn,
  leases: readonly LeaseRow[],
  then: Then,
  at: number,
): Decisions {
  const cancelled = new Set(leases.map(({ leaseId }) => leaseId));
  const ends = [...cancelled].map((leaseId) => ({ leaseId, outcome: 'cancelled' as const }));
  if (then === 'close') {
    const { wakeAt: _, ...turn } = before;
    const closed: Turn = { ...turn, closedAt: at, outcome: 'cancelled' };
    const nobody = { candidates: [], others: [], candidateCount: 0 };
    return { grants: [], renewals: [], ...nobody, ends, turn: closed };
  }
  const left = around.leases.filter(({ leaseId }) => !cancelled.has(leaseId));
  const decided = arbitrate({ ...around, turn: before, leases: left }, policy, at);
  return { ...decided, ends: [...ends, ...decided.ends] };
}

/** They had the turn, and what their runs took so far was taken. */
function* charged(turn: Turn, leases: readonly LeaseRow[]): Tx<Turn> {
  const { closedAt: _, outcome: __, ...open } = leases.reduce(served, turn);
  let { tokens } = turn;
  for (const { runId, turnId } of leases) {
    if (turnId !== turn.turnId) continue;
    const run = yield* findRun.first({ runId });
    tokens += (run?.inputTokens ?? 0) + (run?.outputTokens ?? 0);
  }
  return { ...open, tokens };
}
