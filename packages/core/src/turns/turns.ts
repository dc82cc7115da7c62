import {
  channelTopic,
  type Lease,
  type LeaseOutcome,
  type Principal,
  SYSTEM,
  type TurnDecision,
} from '@stoa/protocol';
import {
  type LeaseWithRunRow,
  listDecisions,
  listDueTurns,
  listLeases,
  type Tx,
} from '@stoa/store';
import { channelToChange, channelToRead } from '../channels/channel-gate.js';
import { existingMessage } from '../channels/thread.js';
import { decode } from '../kernel/codec.js';
import type { Decision } from '../kernel/log.js';
import type { SessionContext } from '../sessions/context.js';
import { livePhaseOf } from './read-thread.js';
import { reevaluateThread } from './reevaluate-thread.js';

const MAX_DUE_PER_TICK = 100;

/** Reevaluates threads when their deadlines pass, and lists leases and decisions. */
export class Turns {
  constructor(private readonly context: SessionContext) {}

  /**
   * Reevaluates a bounded number of due threads. A thread that fails is due again at the next tick. Returns whether
   * more threads are due, if at least one succeeded.
   */
  async tick(): Promise<boolean> {
    const { store, clock, diagnose } = this.context;
    const due = await store.read(() =>
      listDueTurns.all({ now: clock.now(), limit: MAX_DUE_PER_TICK }),
    );
    let failures = 0;
    for (const { channelId, rootMessageId } of due) {
      try {
        await this.reevaluate(channelId, rootMessageId, 'time');
      } catch (error) {
        failures += 1;
        diagnose('a thread could not be reevaluated', { channelId, rootMessageId, error });
      }
    }
    return due.length === MAX_DUE_PER_TICK && failures < due.length;
  }

  async reevaluate(
    channelId: string,
    rootMessageId: string,
    type: 'time' | 'answered',
  ): Promise<void> {
    const { context } = this;
    await context.log.write({
      actor: 'system',
      lane: channelTopic(channelId),
      open: () => channelToChange(SYSTEM, channelId),
      *decide(channel, at): Tx<Decision<void>> {
        const events = yield* reevaluateThread(context, channel, rootMessageId, { type }, at);
        return { events, answer: () => undefined };
      },
    });
  }

  leases(by: Principal, channelId: string, live: boolean, limit: number): Promise<Lease[]> {
    return this.context.store.read(function* () {
      const { topicId } = yield* channelToRead(by, channelId);
      const before = Number.MAX_SAFE_INTEGER;
      return (yield* listLeases.all({ topicId, live: Number(live), before, limit })).map(
        leaseRecord,
      );
    });
  }

  /** Newest first. */
  decisions(
    by: Principal,
    channelId: string,
    rootMessageId: string,
    { before, limit }: { before: number; limit: number },
  ): Promise<(TurnDecision & { seq: number; at: number })[]> {
    return this.context.store.read(function* () {
      const { topicId } = yield* channelToRead(by, channelId);
      yield* existingMessage(topicId, rootMessageId);
      const rows = yield* listDecisions.all({ topicId, rootMessageId, before, limit });
      return rows.map(({ seq, at, body }) => ({
        ...decode(body),
        seq,
        at,
      }));
    });
  }
}

function leaseRecord(row: LeaseWithRunRow): Lease {
  const { leaseId, turnId, originMessageId, memberId, sessionId, runId, grantedAt } = row;
  return {
    leaseId,
    turnId,
    threadRootMessageId: row.rootMessageId,
    originMessageId,
    memberId,
    sessionId,
    runId,
    phase: row.endedAt === null ? livePhaseOf(row) : 'ended',
    grantedAt,
    deadline: row.deadline,
    ...(row.endedAt === null ? {} : { endedAt: row.endedAt }),
    ...(row.outcome === null ? {} : { outcome: row.outcome as LeaseOutcome }),
  };
}
