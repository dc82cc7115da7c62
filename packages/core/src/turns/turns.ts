import {
  channelTopic,
  type Lease,
  type LeaseOutcome,
  type LeasePhase,
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
import { existing } from '../channels/thread.js';
import { decode } from '../kernel/codec.js';
import type { Decision } from '../kernel/log.js';
import type { SessionContext } from '../sessions/context.js';
import { lookAt } from './look-at.js';

const DUE_AT_ONCE = 100;

/** Who speaks in channels: what time alone brings about, and what people may look at. */
export class Turns {
  constructor(private readonly context: SessionContext) {}

  /**
   * Looks at threads whose time has come, a bounded number. One that fails is tried again at the next look.
   * Returns whether there may be more that went well.
   */
  async tick(): Promise<boolean> {
    const { store, clock, diagnose } = this.context;
    const due = await store.read(() => listDueTurns.all({ now: clock.now(), limit: DUE_AT_ONCE }));
    let failures = 0;
    for (const { channelId, rootMessageId } of due) {
      try {
        await this.look(channelId, rootMessageId, 'time');
      } catch (error) {
        failures += 1;
        diagnose('a thread could not be looked at', { channelId, rootMessageId, error });
      }
    }
    return due.length === DUE_AT_ONCE && failures < due.length;
  }

  async look(
    channelId: string,
    rootMessageId: string,
    trigger: 'time' | 'answered',
  ): Promise<void> {
    const { context } = this;
    await context.log.write({
      actor: 'system',
      lane: channelTopic(channelId),
      open: () => channelToChange(SYSTEM, channelId),
      *decide(channel, at): Tx<Decision<void>> {
        const events = yield* lookAt(context, channel, rootMessageId, { type: trigger }, at);
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
      yield* existing(topicId, rootMessageId);
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
    phase: phaseOf(row),
    grantedAt,
    deadline: row.deadline,
    ...(row.endedAt === null ? {} : { endedAt: row.endedAt }),
    ...(row.outcome === null ? {} : { outcome: row.outcome as LeaseOutcome }),
  };
}

function phaseOf({ endedAt, startedAt, status }: LeaseWithRunRow): LeasePhase {
  if (endedAt !== null) return 'ended';
  if (startedAt === null) return 'granted';
  return status?.startsWith('waiting') ? 'waiting' : 'running';
}
