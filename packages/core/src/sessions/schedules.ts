import {
  actorIdOf,
  type Cadence,
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
  findRunRow,
  findSchedule,
  listDueSchedules,
  listSchedules,
  type Tx,
} from '@stoa/store';
import { callerClass } from '../access/rules.js';
import {
  assertNotEnded,
  mayDirect,
  type OpenSession,
  sessionToChange,
  sessionToRead,
  sessionToServe,
} from '../access/session-gate.js';
import { admitContent, holdAssets } from '../channels/content.js';
import { idempotency } from '../channels/context.js';
import type { Decision, NewEvent } from '../log/log.js';
import type { Calendar } from '../ports.js';
import type { ScheduleThread } from '../work/schedule-news.js';
import { acceptItem, whyFull } from './accept-item.js';
import type { SessionContext } from './context.js';
import { eachApart } from './each-apart.js';
import { lockPlace } from './lock-reached.js';
import { scheduleRecord } from './records.js';
import { inSession } from './run-facts.js';
import { isTerminal } from './run-status.js';

type Created = Extract<SessionEvent, { type: 'schedule_created' }>['data'];

const AFTER_ALL_IDS = '~';
const FIRE_LIMIT = 100;
/** Times that were missed are counted up to this many. */
const MISSED_COUNTED = 1_000;

interface ScheduleQuery {
  readonly sessionId?: string | undefined;
  readonly before?: string | undefined;
  readonly limit: number;
}

/** What schedules mean for the threads they were made in. */
export interface ScheduleThreads {
  readonly bound: (thread: ScheduleThread, at: number) => Tx<NewEvent[]>;
  readonly fired: (thread: ScheduleThread, at: number) => Tx<NewEvent[]>;
}

/** The run in which a session makes a schedule. */
interface MadeIn {
  readonly sessionId: string;
  readonly runId: string;
  readonly origin: Origin;
}

/**
 * Work by the clock.
 *
 *   active ◀──▶ paused
 *     └──▶ ended     by a person, after its last fire, or because nothing comes after
 *
 * A fire is an inbox item like any other, committed together with the time of the next one: a fire is
 * never lost and never doubled.
 */
export class Schedules {
  constructor(
    private readonly context: SessionContext,
    private readonly calendar: Calendar,
    private readonly threads: ScheduleThreads,
  ) {}

  create(by: Principal, request: CreateSchedule, key?: string): Promise<Schedule> {
    return this.#create(by, request, () => sessionToChange(by, request.sessionId), key);
  }

  /** What a session makes for itself. Made in the thread of a channel, it belongs to that thread. */
  createInRun(
    { sessionId, runId, origin }: MadeIn,
    request: Omit<CreateSchedule, 'sessionId'>,
    key?: string,
  ): Promise<Schedule> {
    const by: Principal = { kind: 'session', id: sessionId, credentialId: 'session' };
    const { channelId, threadRootMessageId } = origin;
    const thread =
      channelId === undefined || threadRootMessageId === undefined
        ? {}
        : { channelId, threadRootMessageId };
    const made = { createdByRunId: runId, ...thread };
    const open = function* (): Tx<OpenSession> {
      yield* lockPlace(thread);
      return yield* sessionToServe(sessionId);
    };
    return this.#create(by, { ...request, sessionId }, open, key, made);
  }

  async #create(
    by: Principal,
    request: CreateSchedule,
    open: () => Tx<OpenSession>,
    key: string | undefined,
    made: Pick<Created, 'createdByRunId' | 'channelId' | 'threadRootMessageId'> = {},
  ): Promise<Schedule> {
    const { context, threads } = this;
    const { sessionId, title, cadence, overlap, misfire, maxFires } = request;
    const inputItems = await admitContent(context, request, actorIdOf(by), function* (ready) {
      assertNotEnded(yield* open());
      yield* holdAssets(ready);
    });
    const next = (at: number): number | undefined =>
      // A time that has passed already is now.
      cadence.kind === 'once' ? Math.max(cadence.at, at) : this.#next(cadence, at, at);
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
          ...made,
        };
        const thread = threadOf(sessionId, data);
        return {
          events: [
            inSession(session, { type: 'schedule_created', data }),
            ...(thread ? yield* threads.bound(thread, at) : []),
          ],
          answer: () => data.scheduleId,
        };
      },
      idempotency: idempotency(
        context.secrets,
        key,
        { createSchedule: request },
        (entry) => (JSON.parse(entry.body) as Created).scheduleId,
      ),
    });
    return this.get(by, scheduleId);
  }

  async get(by: Principal, scheduleId: string): Promise<Schedule> {
    const row = await this.context.store.read(() => this.#find(scheduleId));
    await this.context.store.read(() => sessionToRead(by, row.sessionId));
    return scheduleRecord(row);
  }

  async list(by: Principal, { sessionId, before, limit }: ScheduleQuery) {
    const rows = await this.context.store.read(() =>
      listSchedules.all({
        before: before ?? AFTER_ALL_IDS,
        sessionId: sessionId ?? null,
        responsibleId: callerClass(by) === 'admin' ? null : actorIdOf(by),
        limit: limit + 1,
      }),
    );
    const schedules = rows.slice(0, limit).map(scheduleRecord);
    const nextBefore = rows.length > limit ? schedules.at(-1)?.scheduleId : undefined;
    return { schedules, ...(nextBefore === undefined ? {} : { nextBefore }) };
  }

  pause(by: Principal, scheduleId: string): Promise<Schedule> {
    return this.#change(by, scheduleId, (row) =>
      row.status === 'active' ? { scheduleId, status: 'paused' } : undefined,
    );
  }

  /** From now on: what fell into the pause is not made up for. */
  resume(by: Principal, scheduleId: string): Promise<Schedule> {
    return this.#change(by, scheduleId, (row, at) => {
      if (row.status !== 'paused') return undefined;
      const { cadence } = JSON.parse(row.created) as Created;
      const nextFireAt = this.#next(cadence, row.createdAt, at);
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

  /** Once, now, besides its times. */
  async trigger(by: Principal, scheduleId: string): Promise<Schedule> {
    const { sessionId } = await this.context.store.read(() => this.#find(scheduleId));
    await this.#fire(scheduleId, sessionId, actorIdOf(by), (session) => {
      if (!mayDirect(by, session)) throw new StoaError('forbidden');
      assertNotEnded(session);
      return true;
    });
    return this.get(by, scheduleId);
  }

  /** Fires what is due. Returns how many there were. */
  async fireDue(): Promise<number> {
    const now = this.context.clock.now();
    const due = await this.context.store.read(() =>
      listDueSchedules.all({ now, limit: FIRE_LIMIT }),
    );
    const ids = due.map(({ scheduleId, sessionId }) => ({ scheduleId, sessionId }));
    await eachApart(this.context, 'a schedule could not fire', ids, ({ scheduleId, sessionId }) =>
      this.#fire(scheduleId, sessionId, 'system', () => false),
    );
    return due.length;
  }

  #fire(
    scheduleId: string,
    sessionId: string,
    actor: string,
    isExtra: (session: OpenSession) => boolean,
  ): Promise<void> {
    const { context, threads } = this;
    const plan = (row: FullScheduleRow, extra: boolean, at: number) =>
      extra
        ? { dueAt: at, missed: 0, skips: false, nextFireAt: row.nextFireAt ?? undefined }
        : this.#plan(row, at);
    return context.log.write({
      actor,
      lane: sessionTopic(sessionId),
      *open() {
        const row = yield* findSchedule.first({ scheduleId });
        if (row) yield* lockPlace(JSON.parse(row.created) as Created);
        return yield* sessionToServe(sessionId);
      },
      *decide(session, at): Tx<Decision<void>> {
        const done = (events: readonly NewEvent[]): Decision<void> => ({
          events,
          answer: () => undefined,
        });
        const row = yield* findSchedule.first({ scheduleId });
        const extra = isExtra(session);
        if (!row || (!extra && (row.status !== 'active' || (row.nextFireAt ?? at + 1) > at))) {
          return done([]);
        }
        if (session.endedAt !== null) return done([changed(session, scheduleId, 'ended')]);
        const created = JSON.parse(row.created) as Created;
        const { dueAt, missed, skips, nextFireAt } = plan(row, extra, at);
        const events: NewEvent[] = [];
        const blocked = skips
          ? 'missed'
          : ((yield* overlapReason(created, row)) ??
            // Who asks for it now is told; nobody waits for one that is due.
            (extra ? undefined : yield* whyFull(session)));
        if (blocked !== undefined) {
          const data = { scheduleId, dueAt, reason: blocked };
          events.push(inSession(session, { type: 'schedule_skipped', data }));
        } else {
          const accepted = yield* acceptItem(context, session, {
            kind: 'schedule',
            rule: 'followup',
            from: row.createdBy,
            fromName: created.title,
            inputItems: created.inputItems,
            origin: {
              scheduleId,
              ...(created.channelId === undefined ? {} : { channelId: created.channelId }),
              ...(created.threadRootMessageId === undefined
                ? {}
                : { threadRootMessageId: created.threadRootMessageId }),
            },
            metadata: {},
          });
          const data = { scheduleId, dueAt, runId: accepted.runId, missed };
          events.push(...accepted.events, inSession(session, { type: 'schedule_fired', data }));
          const thread = threadOf(sessionId, created);
          if (thread) events.push(...(yield* threads.fired(thread, at)));
        }
        if (extra) return done(events);
        const fires = row.fires + (blocked === undefined ? 1 : 0);
        const isLast = nextFireAt === undefined || fires >= (created.maxFires ?? Infinity);
        events.push(
          isLast
            ? changed(session, scheduleId, 'ended')
            : changed(session, scheduleId, 'active', nextFireAt),
        );
        return done(events);
      },
    });
  }

  /**
   * Times that passed while nobody looked: with `coalesce_once` one fire stands for all of them, with
   * `skip_missed` only one that is due just now counts.
   */
  #plan(row: FullScheduleRow, at: number) {
    const { cadence, misfire } = JSON.parse(row.created) as Created;
    let dueAt = row.nextFireAt ?? at;
    let missed = 0;
    let nextFireAt = this.#next(cadence, row.createdAt, dueAt);
    while (nextFireAt !== undefined && nextFireAt <= at && missed < MISSED_COUNTED) {
      dueAt = nextFireAt;
      missed += 1;
      nextFireAt = this.#next(cadence, row.createdAt, dueAt);
    }
    if (nextFireAt !== undefined && nextFireAt <= at) {
      nextFireAt = this.#next(cadence, row.createdAt, at);
    }
    const isLate = at - dueAt > LATE_MS;
    return { dueAt, missed, skips: misfire === 'skip_missed' && isLate, nextFireAt };
  }

  #next(cadence: Cadence, since: number, after: number): number | undefined {
    switch (cadence.kind) {
      case 'once':
        return cadence.at > after ? cadence.at : undefined;
      case 'interval': {
        const passed = Math.floor((after - since) / cadence.everyMs);
        return since + (passed + 1) * cadence.everyMs;
      }
      case 'cron':
        return this.calendar.nextCron(cadence.expression, cadence.timeZone, after);
    }
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
    const { sessionId } = await this.context.store.read(() => this.#find(scheduleId));
    const find = (): Tx<FullScheduleRow> => this.#find(scheduleId);
    await this.context.log.write({
      actor: actorIdOf(by),
      lane: sessionTopic(sessionId),
      open: () => sessionToChange(by, sessionId),
      *decide(session, at): Tx<Decision<void>> {
        const data = decide(yield* find(), at);
        const events = data ? [inSession(session, { type: 'schedule_changed', data })] : [];
        return { events, answer: () => undefined };
      },
    });
    return this.get(by, scheduleId);
  }
}

function threadOf(sessionId: string, created: Created): ScheduleThread | undefined {
  const { scheduleId, title, channelId, threadRootMessageId } = created;
  if (channelId === undefined || threadRootMessageId === undefined) return undefined;
  return { scheduleId, sessionId, title, channelId, threadRootMessageId };
}

/** Later than this after its time, a fire counts as missed. */
const LATE_MS = 60_000;

const changed = (
  session: OpenSession,
  scheduleId: string,
  status: 'active' | 'ended',
  nextFireAt?: number,
): NewEvent =>
  inSession(session, {
    type: 'schedule_changed',
    data: { scheduleId, status, ...(nextFireAt === undefined ? {} : { nextFireAt }) },
  });

/** Why a fire does not happen while the last one is still worked on. */
function* overlapReason(
  { overlap }: Created,
  { lastRunId }: FullScheduleRow,
): Tx<string | undefined> {
  if (overlap === 'parallel' || lastRunId === null) return undefined;
  const last = yield* findRunRow.first({ runId: lastRunId });
  if (!last || isTerminal(last.status as Parameters<typeof isTerminal>[0])) return undefined;
  if (overlap === 'skip') return 'the last one is not done';
  return last.status === 'queued' ? 'one waits already' : undefined;
}

function* assertRoom({ topicId, sessionId }: OpenSession): Tx<void> {
  const active = (yield* countActiveSchedules.first({ topicId }))?.count ?? 0;
  if (active < LIMITS.schedulesPerSession) return;
  throw new StoaError('limit_reached', `${sessionId} has ${String(active)} schedules already`);
}
