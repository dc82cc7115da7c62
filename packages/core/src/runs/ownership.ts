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

/** A run that this daemon has taken up, and the epoch under which it may write about it. */
export interface Claim extends Requested {
  readonly session: OpenSession;
  readonly epoch: number;
  readonly runId: string;
  readonly kind: string;
  readonly origin: Origin;
  readonly identity: ChannelRuntimeIdentity;
  readonly memoryScope: ChannelRuntimeMemoryScope;
  readonly attempt: number;
  /** It was under way when its daemon ended. */
  readonly isResumed: boolean;
  /** What was being done then. */
  readonly unknownCalls: readonly StartedCall[];
}

/** Whether the runs of a session wait for something else. */
export const HELD_BACK = defineHook<[session: OpenSession], Tx<boolean>>('held back');

/** A daemon that was not seen for this long counts as gone; it beats several times within it. */
export const DAEMON_GONE_MS = 20_000;
/** One that ended without a word for the last time is not remembered longer than this. */
const DAEMON_FORGOTTEN_MS = 24 * 3_600_000;

/**
 * Who runs which session. One daemon at a time owns a session; taking it over begins a new epoch, and
 * whatever is written about a run names the epoch it was claimed under. So a daemon that was believed
 * gone and comes back cannot write any more, however late its words arrive.
 */
export class Ownership {
  constructor(
    private readonly context: SessionContext,
    readonly daemonId: string,
    /** Whether a daemon of that name was one of this data directory: then it has ended. */
    private readonly wasHere: (daemonId: string) => boolean,
  ) {}

  /**
   * What earlier daemons of this data directory owned is free from here on: the data directory is locked, so they have
   * ended, however lately they were seen. On SQLite that is everybody else.
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

  /** On PostgreSQL the time of the database. */
  *#now(): Tx<number> {
    const now = this.context.clock.now();
    return (yield* leaseTime.first({ now }))?.now ?? now;
  }

  async beat(): Promise<void> {
    const { clock, store, storeWait } = this.context;
    const now = clock.now();
    await storeWait.observe(() => store.transact(() => beat.run({ daemonId: this.daemonId, now })));
  }

  /** The runs of this daemon could record nothing for a while; that does not make them silent. */
  async showActive(): Promise<void> {
    const { clock, store, storeWait } = this.context;
    const active = { daemonId: this.daemonId, at: clock.now() };
    await storeWait.observe(() => store.transact(() => setSessionsActive.run(active)));
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
    return this.context.store.read(() => this.#findWork(after, limit));
  }

  *#findWork(after: string, limit: number): Tx<string[]> {
    const { daemonId } = this;
    const aliveAfter = (yield* this.#now()) - DAEMON_GONE_MS;
    const rows = yield* listUnownedWork.all({ daemonId, aliveAfter, after, limit });
    return rows.map(({ sessionId }) => sessionId);
  }

  /**
   * Whether it is worth trying to claim something of a session. To claim is to lock, and of what is
   * written to a session every daemon hears; most of them have nothing to do with it.
   */
  standing(sessionId: string): Promise<'ended' | 'work' | 'nothing'> {
    return this.context.store.read(() => this.#standing(sessionId));
  }

  *#standing(sessionId: string): Tx<'ended' | 'work' | 'nothing'> {
    const row = yield* findSessionWork.first({ sessionId });
    if (!row) return 'nothing';
    if (row.endedAt !== null) return 'ended';
    if (row.hasWork === 0) return 'nothing';
    const isMine = row.ownerId === null || row.ownerId === this.daemonId;
    if (isMine || row.ownerSeenAt === null) return 'work';
    return row.ownerSeenAt < (yield* this.#now()) - DAEMON_GONE_MS ? 'work' : 'nothing';
  }

  /**
   * Takes up the next run of a session, or the one that was cut off. Undefined when there is nothing
   * to do or somebody else is at it.
   */
  claim(sessionId: string, signal?: AbortSignal): Promise<Claim | undefined> {
    const { context, daemonId } = this;
    const isOwnedByAnother = (session: OpenSession): Tx<boolean> => this.isAnothers(session);
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
        // Nobody else begins one while this session is locked.
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

  /** Whether another daemon that lives is at it. */
  *isAnothers({ ownerId }: Pick<OpenSession, 'ownerId'>): Tx<boolean> {
    if (ownerId === null || ownerId === this.daemonId) return false;
    const owner = yield* findDaemon.first({ daemonId: ownerId });
    return owner !== undefined && owner.seenAt >= (yield* this.#now()) - DAEMON_GONE_MS;
  }
}
