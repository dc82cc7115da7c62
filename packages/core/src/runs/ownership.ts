import {
  type ChannelRuntimeIdentity,
  type ChannelRuntimeMemoryScope,
  type Origin,
  type RunStatus,
  type SessionEvent,
  sessionTopic,
} from '@stoa/protocol';
import {
  beat,
  deleteDaemon,
  deleteGoneDaemons,
  deleteOtherDaemons,
  findDaemon,
  findQueuedRun,
  findSessionWork,
  leaseTime,
  listDaemonIds,
  listUnownedWork,
  nextQueuedRun,
  releaseSession,
  releaseSessionsOf,
  setSessionOwner,
  setSessionsActive,
  type Tx,
  together,
} from '@stoa/store';
import { decode } from '../kernel/codec.js';
import { defineHook } from '../kernel/hooks.js';
import type { Decision } from '../kernel/log.js';
import type { SessionContext } from '../sessions/context.js';
import { factsOf, inSession, type Requested, requestedIn } from '../sessions/run-facts.js';
import { type OpenSession, sessionToServe } from '../sessions/session-gate.js';
import { danglingCalls, type StartedCall } from './dangling-calls.js';

/** A run that this daemon claimed, and the epoch under which it may write about it. */
export interface Claim extends Requested {
  readonly session: OpenSession;
  readonly epoch: number;
  readonly runId: string;
  readonly kind: string;
  readonly origin: Origin;
  readonly identity: ChannelRuntimeIdentity;
  readonly memoryScope: ChannelRuntimeMemoryScope;
  readonly attempt: number;
  /** Its daemon ended while it was active. */
  readonly isResumed: boolean;
  /** Tool calls without a result. */
  readonly unknownCalls: readonly StartedCall[];
}

/** Whether the runs of a session have to wait. */
export const HELD_BACK = defineHook<[session: OpenSession], Tx<boolean>>('held back');

/** A daemon that was not seen for this long counts as gone. It beats several times within this time. */
export const DAEMON_GONE_MS = 20_000;
/** A daemon that crashed is forgotten after this. */
const DAEMON_FORGOTTEN_MS = 24 * 3_600_000;

/**
 * Decides which daemon runs which session. One daemon at a time owns a session. A takeover begins a new epoch, and every
 * write about a run names the epoch of its claim. So a daemon that was considered gone cannot write when it returns.
 */
export class Ownership {
  constructor(
    private readonly context: SessionContext,
    readonly daemonId: string,
    /** Whether a daemon of that id used this data directory: then it has ended. */
    private readonly wasHere: (daemonId: string) => boolean,
  ) {}

  /**
   * Releases the sessions of earlier daemons of this data directory: it is locked, so they have ended, no matter when they
   * were last seen. On SQLite those are all other daemons.
   */
  async join(): Promise<void> {
    const { daemonId } = this;
    const isAlone = this.context.store.engine === 'sqlite';
    await this.context.store.transact(() => this.#join(daemonId, isAlone));
  }

  *#join(daemonId: string, isAlone: boolean): Tx<void> {
    if (isAlone) yield* deleteOtherDaemons.run({ daemonId });
    else {
      yield* deleteGoneDaemons.run({ before: (yield* this.#now()) - DAEMON_FORGOTTEN_MS });
      for (const other of yield* listDaemonIds.all({})) {
        if (other.daemonId !== daemonId && this.wasHere(other.daemonId))
          yield* deleteDaemon.run(other);
      }
    }
    yield* beat.run({ daemonId, now: this.context.clock.now() });
  }

  /** On PostgreSQL, the time of the database. */
  *#now(): Tx<number> {
    const now = this.context.clock.now();
    return (yield* leaseTime.first({ now }))?.now ?? now;
  }

  async beat(): Promise<void> {
    const { clock, store, storeWait } = this.context;
    const now = clock.now();
    await storeWait.observe(() => store.transact(() => beat.run({ daemonId: this.daemonId, now })));
  }

  /** Records activity of the runs of this daemon, which could record nothing during an outage. */
  async showActive(): Promise<void> {
    const { clock, store, storeWait } = this.context;
    const active = { daemonId: this.daemonId, at: clock.now() };
    await storeWait.observe(() => store.transact(() => setSessionsActive.run(active)));
  }

  /** Lets other daemons take over at once. */
  async leave(): Promise<void> {
    const { daemonId } = this;
    await this.context.store.transact(function* () {
      yield* releaseSessionsOf.run({ daemonId });
      yield* deleteDaemon.run({ daemonId });
    });
  }

  /** Sessions with work that have no living owner or belong to this daemon, by id, after an id. */
  async findWork(after: string, limit: number): Promise<string[]> {
    return this.context.store.read(() => this.#findWork(after, limit));
  }

  *#findWork(after: string, limit: number): Tx<string[]> {
    const { daemonId } = this;
    const aliveAfter = (yield* this.#now()) - DAEMON_GONE_MS;
    const rows = yield* listUnownedWork.all({ daemonId, aliveAfter, after, limit });
    return rows.map(({ sessionId }) => sessionId);
  }

  /**
   * Whether a claim of this session can succeed. A claim locks, and every daemon is informed of every write to a session;
   * most of them have nothing to do there.
   */
  workStatus(sessionId: string): Promise<'ended' | 'work' | 'nothing'> {
    return this.context.store.read(() => this.#workStatus(sessionId));
  }

  *#workStatus(sessionId: string): Tx<'ended' | 'work' | 'nothing'> {
    const row = yield* findSessionWork.first({ sessionId });
    if (!row) return 'nothing';
    if (row.endedAt !== null) return 'ended';
    if (row.hasWork === 0) return 'nothing';
    const isMine = row.ownerId === null || row.ownerId === this.daemonId;
    if (isMine || row.ownerSeenAt === null) return 'work';
    return row.ownerSeenAt < (yield* this.#now()) - DAEMON_GONE_MS ? 'work' : 'nothing';
  }

  /**
   * Claims the next run of a session, or resumes its interrupted one. Undefined if there is nothing to do or another daemon
   * owns the session.
   */
  claim(sessionId: string, signal?: AbortSignal): Promise<Claim | undefined> {
    const { context, daemonId } = this;
    const isOwnedByAnother = (session: OpenSession): Tx<boolean> => this.isOwnedByAnother(session);
    return context.log.write({
      actor: 'system',
      lane: sessionTopic(sessionId),
      open: () => sessionToServe(sessionId),
      wait: { store: context.storeWait, signal },
      *decide(session): Tx<Decision<Claim | undefined>> {
        const nothing = { events: [], answer: () => undefined };
        if (yield* isOwnedByAnother(session)) return nothing;
        const { activeRunId: runId, topicId } = session;
        const [run, isHeldBack] = yield* together(
          runId === null ? nextQueuedRun.first({ topicId }) : findQueuedRun.first({ runId }),
          context.hooks.some(HELD_BACK, session),
        );
        if (!run || isHeldBack) return nothing;
        yield* setSessionOwner.run({ topicId, daemonId });
        const isResumed = (run.status as RunStatus) !== 'queued';
        const attempt = run.attempts + 1;
        const work = decode(run.queued);
        const facts = factsOf(session, run.runId, work);
        const unknownCalls = isResumed
          ? yield* danglingCalls(session.topicId, run.seq, run.runId)
          : [];
        const unknownCallIds = unknownCalls.map(({ callId }) => callId);
        const event: SessionEvent = isResumed
          ? { type: 'resumed', data: { attempt, unknownCallIds, ...facts } }
          : { type: 'started', data: { attempt, ...facts } };
        // The session is locked, so no other daemon begins an epoch.
        const epoch = (session.epoch ?? 0) + 1;
        return {
          events: [inSession(session, event)],
          answer: () => ({
            session: { ...session, ownerId: daemonId, epoch, activeRunId: run.runId },
            epoch,
            ...requestedIn(work),
            ...facts,
            kind: run.kind,
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

  /** Whether another living daemon owns it. */
  *isOwnedByAnother({ ownerId }: Pick<OpenSession, 'ownerId'>): Tx<boolean> {
    if (ownerId === null || ownerId === this.daemonId) return false;
    const owner = yield* findDaemon.first({ daemonId: ownerId });
    return owner !== undefined && owner.seenAt >= (yield* this.#now()) - DAEMON_GONE_MS;
  }
}
