import {
  actorIdOf,
  type CreateSchedule,
  LIMITS,
  type Origin,
  type Principal,
  type Schedule,
  type SessionEvent,
  StoaError,
  sessionTopic,
} from '@stoa/protocol';
import {
  countActiveSchedules,
  type FullScheduleRow,
  findSchedule,
  listDueSchedules,
  listSchedules,
  type Tx,
} from '@stoa/store';
import { callerClass } from '../access/rules.js';
import { admitContent, holdAssets } from '../assets/content.js';
import { dataOf, decode } from '../kernel/codec.js';
import { eachIsolated } from '../kernel/each-isolated.js';
import { idempotency } from '../kernel/idempotency.js';
import type { Decision } from '../kernel/log.js';
import { AFTER_ALL_IDS, readPage } from '../kernel/paging.js';
import { currentCeiling } from '../sessions/ceiling-of.js';
import { lockChannelOf } from '../sessions/lock-channels.js';
import { scheduleRecord } from '../sessions/records.js';
import { inSession } from '../sessions/run-facts.js';
import {
  assertNotEnded,
  mayDirect,
  type OpenSession,
  sessionToChange,
  sessionToRead,
  sessionToServe,
} from '../sessions/session-gate.js';
import { ended, type FirePorts, fireSchedule } from './fire-schedule.js';
import { bindSchedule, threadOf } from './schedule-thread.js';
import { nextFire } from './schedule-times.js';

type Created = Extract<SessionEvent, { type: 'schedule_created' }>['data'];

const FIRE_LIMIT = 100;

interface ScheduleQuery {
  readonly sessionId?: string | undefined;
  readonly before?: string | undefined;
  readonly limit: number;
}

/** The run that creates a schedule for its own session. */
interface CreatingRun {
  readonly sessionId: string;
  readonly runId: string;
  readonly origin: Origin;
}

/**
 * Schedules add items to inboxes at given times.
 *
 *   active ◀──▶ paused
 *     └──▶ ended     by a person, after its last fire, or if it has no next time
 *
 * The commit that adds the item also sets the next time, so a fire is never lost or repeated.
 */
export class Schedules {
  constructor(private readonly ports: FirePorts) {}

  create(by: Principal, request: CreateSchedule, key?: string): Promise<Schedule> {
    return this.#create(by, request, () => sessionToChange(by, request.sessionId), key);
  }

  /** Creates a schedule of a session for itself. One that is created in a thread reports there. */
  createInRun(
    { sessionId, runId, origin }: CreatingRun,
    request: Omit<CreateSchedule, 'sessionId'>,
    key?: string,
  ): Promise<Schedule> {
    const by: Principal = { kind: 'session', id: sessionId, credentialId: 'session' };
    const { channelId, threadRootMessageId } = origin;
    const thread =
      channelId === undefined || threadRootMessageId === undefined
        ? {}
        : { channelId, threadRootMessageId };
    const source = { createdByRunId: runId, ...thread };
    const open = function* (): Tx<OpenSession> {
      yield* lockChannelOf(thread);
      return yield* sessionToServe(sessionId);
    };
    return this.#create(by, { ...request, sessionId }, open, key, source);
  }

  async #create(
    by: Principal,
    request: CreateSchedule,
    open: () => Tx<OpenSession>,
    key: string | undefined,
    source: Pick<Created, 'createdByRunId' | 'channelId' | 'threadRootMessageId'> = {},
  ): Promise<Schedule> {
    const { context, calendar } = this.ports;
    const { sessionId, title, cadence, overlap, misfire, maxFires } = request;
    const inputItems = await admitContent(context, request, actorIdOf(by), function* (ready) {
      assertNotEnded(yield* open());
      yield* holdAssets(ready);
    });
    const next = (at: number): number | undefined =>
      // A time that has passed fires now.
      cadence.kind === 'once' ? Math.max(cadence.at, at) : nextFire(calendar, cadence, at, at);
    const scheduleId = await context.log.write({
      actor: actorIdOf(by),
      lane: sessionTopic(sessionId),
      open,
      *decide(session, at): Tx<Decision<string>> {
        assertNotEnded(session);
        yield* holdAssets(inputItems);
        yield* assertRoom(session);
        const nextFireAt = next(at);
        if (nextFireAt === undefined) {
          throw new StoaError('invalid_schedule', 'It would never fire');
        }
        const data: Created = {
          scheduleId: context.ids.next('sch'),
          title,
          cadence,
          overlap,
          misfire,
          inputItems,
          ...(maxFires === undefined ? {} : { maxFires }),
          nextFireAt,
          ...source,
          ...(yield* inheritedBy(by, session)),
        };
        const thread = threadOf(sessionId, data);
        return {
          events: [
            inSession(session, { type: 'schedule_created', data }),
            ...(thread ? yield* bindSchedule(thread, at) : []),
          ],
          answer: () => data.scheduleId,
        };
      },
      idempotency: idempotency(
        context.secrets,
        key,
        { createSchedule: request },
        (entry) => dataOf('schedule_created', entry).scheduleId,
      ),
    });
    return this.get(by, scheduleId);
  }

  async get(by: Principal, scheduleId: string): Promise<Schedule> {
    const row = await this.ports.context.store.read(() => this.#find(scheduleId));
    await this.ports.context.store.read(() => sessionToRead(by, row.sessionId));
    return scheduleRecord(row);
  }

  async list(by: Principal, { sessionId, before, limit }: ScheduleQuery) {
    const filter = {
      before: before ?? AFTER_ALL_IDS,
      sessionId: sessionId ?? null,
      responsibleId: callerClass(by) === 'admin' ? null : actorIdOf(by),
    };
    const { rows, resumeAfter } = await this.ports.context.store.read(() =>
      readPage(limit, (count) => listSchedules.all({ ...filter, limit: count })),
    );
    return {
      schedules: rows.map(scheduleRecord),
      ...(resumeAfter && { nextBefore: resumeAfter.scheduleId }),
    };
  }

  pause(by: Principal, scheduleId: string): Promise<Schedule> {
    return this.#change(by, scheduleId, (row) =>
      row.status === 'active' ? { scheduleId, status: 'paused' } : undefined,
    );
  }

  /** Times during the pause are not made up for. */
  resume(by: Principal, scheduleId: string): Promise<Schedule> {
    return this.#change(by, scheduleId, (row, at) => {
      if (row.status !== 'paused') return undefined;
      const { cadence, maxFires = Infinity } = decode(row.created);
      if (row.fires >= maxFires) return { scheduleId, status: 'ended' };
      const nextFireAt = nextFire(this.ports.calendar, cadence, row.createdAt, at);
      return nextFireAt === undefined
        ? { scheduleId, status: 'ended' }
        : { scheduleId, status: 'active', nextFireAt };
    });
  }

  end(by: Principal, scheduleId: string): Promise<Schedule> {
    return this.#change(by, scheduleId, (row) =>
      row.status === 'ended' ? undefined : { scheduleId, status: 'ended' },
    );
  }

  /** Fires it now, outside its times. That counts towards `maxFires`. */
  async trigger(by: Principal, scheduleId: string): Promise<Schedule> {
    const { sessionId } = await this.ports.context.store.read(() => this.#find(scheduleId));
    await fireSchedule(this.ports, {
      ...{ scheduleId, sessionId, actor: actorIdOf(by) },
      isExtra: (session) => {
        if (!mayDirect(by, session)) throw new StoaError('forbidden');
        assertNotEnded(session);
        return true;
      },
    });
    return this.get(by, scheduleId);
  }

  /** Fires due schedules, a bounded number. Returns whether there may be more that can fire. */
  async fireDue(): Promise<boolean> {
    const { context } = this.ports;
    const now = context.clock.now();
    const rows = await context.store.read(() => listDueSchedules.all({ now, limit: FIRE_LIMIT }));
    const due = rows.map(({ scheduleId, sessionId }) => ({ scheduleId, sessionId }));
    const failures = await eachIsolated(context, 'a schedule could not fire', due, (one) =>
      fireSchedule(this.ports, { ...one, actor: 'system', isExtra: () => false }),
    );
    return due.length === FIRE_LIMIT && failures < due.length;
  }

  *#find(scheduleId: string): Tx<FullScheduleRow> {
    const row = yield* findSchedule.first({ scheduleId });
    if (!row) throw new StoaError('schedule_not_found', `There is no schedule ${scheduleId}`);
    return row;
  }

  async #change(
    by: Principal,
    scheduleId: string,
    decide: (
      row: FullScheduleRow,
      at: number,
    ) => Extract<SessionEvent, { type: 'schedule_changed' }>['data'] | undefined,
  ): Promise<Schedule> {
    const { sessionId } = await this.ports.context.store.read(() => this.#find(scheduleId));
    const find = (): Tx<FullScheduleRow> => this.#find(scheduleId);
    await this.ports.context.log.write({
      actor: actorIdOf(by),
      lane: sessionTopic(sessionId),
      *open() {
        yield* lockChannelOf(decode((yield* find()).created));
        return yield* sessionToChange(by, sessionId);
      },
      *decide(session, at): Tx<Decision<void>> {
        const row = yield* find();
        const data = decide(row, at);
        if (!data) return { events: [], answer: () => undefined };
        const events =
          data.status === 'ended'
            ? yield* ended(session, row)
            : [inSession(session, { type: 'schedule_changed', data })];
        return { events, answer: () => undefined };
      },
    });
    return this.get(by, scheduleId);
  }
}

function* assertRoom({ topicId, sessionId }: OpenSession): Tx<void> {
  const active = (yield* countActiveSchedules.first({ topicId }))?.count ?? 0;
  if (active < LIMITS.schedulesPerSession) return;
  throw new StoaError('limit_reached', `${sessionId} has ${String(active)} schedules already`);
}

/** A schedule of a run has the ceiling of the run. */
function* inheritedBy(by: Principal, session: OpenSession): Tx<Pick<Created, 'ceiling'>> {
  const ceiling = by.kind === 'session' ? yield* currentCeiling(session) : undefined;
  return ceiling ? { ceiling } : {};
}
