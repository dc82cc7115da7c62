import { type Origin, type RunStatus, type SessionEvent, sessionTopic } from '@stoa/protocol';
import {
  beat,
  deleteDaemon,
  deleteOtherDaemons,
  findDaemon,
  findQueuedRun,
  leaseTime,
  listUnownedWork,
  nextQueuedRun,
  releaseSession,
  releaseSessionsOf,
  setSessionOwner,
  type Tx,
} from '@stoa/store';
import { type OpenSession, sessionToServe } from '../access/session-gate.js';
import type { Decision } from '../log/log.js';
import type { SessionContext } from './context.js';
import { danglingCalls, type StartedCall } from './dangling-calls.js';
import { factsOf, inSession } from './run-facts.js';

/** A run that this daemon has taken up, and the epoch under which it may write about it. */
export interface Claim {
  readonly session: OpenSession;
  readonly epoch: number;
  readonly runId: string;
  readonly kind: string;
  readonly origin: Origin;
  readonly attempt: number;
  /** It was under way when its daemon ended. */
  readonly isResumed: boolean;
  /** What was being done then. */
  readonly unknownCalls: readonly StartedCall[];
}

/** A daemon that was not seen for this long counts as gone; it beats several times within it. */
const DAEMON_GONE_MS = 20_000;

/**
 * Who runs which session. One daemon at a time owns a session; taking it over begins a new epoch, and
 * whatever is written about a run names the epoch it was claimed under. So a daemon that was believed
 * gone and comes back cannot write any more, however late its words arrive.
 */
export class Ownership {
  constructor(
    private readonly context: SessionContext,
    readonly daemonId: string,
  ) {}

  /** On SQLite nobody else can be there: the data directory is locked. */
  async join(): Promise<void> {
    const { daemonId } = this;
    const isAlone = this.context.store.engine === 'sqlite';
    await this.context.store.transact(() => this.#join(daemonId, isAlone));
  }

  *#join(daemonId: string, isAlone: boolean): Tx<void> {
    if (isAlone) yield* deleteOtherDaemons.run({ daemonId });
    yield* beat.run({ daemonId, now: this.context.clock.now() });
  }

  async beat(): Promise<void> {
    const now = this.context.clock.now();
    await this.context.store.transact(() => beat.run({ daemonId: this.daemonId, now }));
  }

  /** Lets others take over at once. */
  async leave(): Promise<void> {
    const { daemonId } = this;
    await this.context.store.transact(function* () {
      yield* releaseSessionsOf.run({ daemonId });
      yield* deleteDaemon.run({ daemonId });
    });
  }

  /** Sessions that have work and no living owner, or are this daemon's own; those after an id, by id. */
  async findWork(after: string, limit: number): Promise<string[]> {
    const { daemonId } = this;
    const clock = this.context.clock.now();
    return this.context.store.read(function* () {
      const now = (yield* leaseTime.first({ now: clock }))?.now ?? clock;
      const aliveAfter = now - DAEMON_GONE_MS;
      const rows = yield* listUnownedWork.all({ daemonId, aliveAfter, after, limit });
      return rows.map(({ sessionId }) => sessionId);
    });
  }

  /**
   * Takes up the next run of a session, or the one that was cut off. Undefined when there is nothing
   * to do or somebody else is at it.
   */
  claim(sessionId: string): Promise<Claim | undefined> {
    const { context, daemonId } = this;
    return context.log.write({
      actor: 'system',
      lane: sessionTopic(sessionId),
      open: () => sessionToServe(sessionId),
      *decide(session): Tx<Decision<Claim | undefined>> {
        const nothing = { events: [], answer: () => undefined };
        if (yield* isOwnedByAnother(context, session, daemonId)) return nothing;
        const runId = session.activeRunId ?? (yield* nextQueuedRun.first(session))?.runId;
        const run = runId === undefined ? undefined : yield* findQueuedRun.first({ runId });
        if (!run) return nothing;
        const owned = yield* setSessionOwner.first({ topicId: session.topicId, daemonId });
        const { origin } = JSON.parse(run.queued) as { origin: Origin };
        const isResumed = (run.status as RunStatus) !== 'queued';
        const attempt = run.attempts + 1;
        const facts = factsOf(session, run.runId, origin);
        const unknownCalls = isResumed
          ? yield* danglingCalls(session.topicId, run.seq, run.runId)
          : [];
        const unknownCallIds = unknownCalls.map(({ callId }) => callId);
        const event: SessionEvent = isResumed
          ? { type: 'resumed', data: { attempt, unknownCallIds, ...facts } }
          : { type: 'started', data: { attempt, ...facts } };
        const epoch = owned?.epoch ?? 0;
        return {
          events: [inSession(session, event)],
          answer: () => ({
            session: { ...session, ownerId: daemonId, epoch, activeRunId: run.runId },
            epoch,
            runId: run.runId,
            kind: run.kind,
            origin,
            attempt,
            isResumed,
            unknownCalls,
          }),
        };
      },
    });
  }

  async release({ session, epoch }: Claim): Promise<void> {
    const { topicId } = session;
    await this.context.store.transact(() =>
      releaseSession.run({ topicId, daemonId: this.daemonId, epoch }),
    );
  }
}

function* isOwnedByAnother(
  { clock }: SessionContext,
  { ownerId }: OpenSession,
  daemonId: string,
): Tx<boolean> {
  if (ownerId === null || ownerId === daemonId) return false;
  const owner = yield* findDaemon.first({ daemonId: ownerId });
  if (!owner) return false;
  const clockNow = clock.now();
  const now = (yield* leaseTime.first({ now: clockNow }))?.now ?? clockNow;
  return owner.seenAt >= now - DAEMON_GONE_MS;
}
