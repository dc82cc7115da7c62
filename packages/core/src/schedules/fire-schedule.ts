import { isTerminalRunStatus, type SessionEvent, StoaError, sessionTopic } from '@stoa/protocol';
import { type FullScheduleRow, findRunRow, findSchedule, type Tx } from '@stoa/store';
import { acceptItem, whyFull } from '../inbox/accept-item.js';
import { decode } from '../kernel/codec.js';
import type { Decision, NewEvent } from '../kernel/log.js';
import type { Calendar } from '../ports.js';
import { lockChannelOf } from '../sessions/lock-channels.js';
import { inSession } from '../sessions/run-facts.js';
import { type OpenSession, sessionToServe } from '../sessions/session-gate.js';
import type { StimulusContext } from '../stimuli/context.js';
import { reportFire, threadOf, unbindSchedule } from './schedule-thread.js';
import { type PlannedFire, planFire } from './schedule-times.js';

type Created = Extract<SessionEvent, { type: 'schedule_created' }>['data'];

export interface FirePorts {
  readonly context: StimulusContext;
  readonly calendar: Calendar;
}

interface ToFire {
  readonly scheduleId: string;
  readonly sessionId: string;
  readonly actor: string;
  /** Whether a caller fires it outside its times. Throws if the caller may not. */
  readonly isExtra: (session: OpenSession) => boolean;
}

/** Fires a schedule, or records why not, and sets its next time, in one commit. */
export function fireSchedule(ports: FirePorts, toFire: ToFire): Promise<void> {
  const { scheduleId, sessionId, actor, isExtra } = toFire;
  return ports.context.log.write({
    actor,
    lane: sessionTopic(sessionId),
    *open() {
      const row = yield* findSchedule.first({ scheduleId });
      if (row) yield* lockChannelOf(decode(row.created));
      return yield* sessionToServe(sessionId);
    },
    *decide(session, at): Tx<Decision<void>> {
      const row = yield* findSchedule.first({ scheduleId });
      const events = row ? yield* fire(ports, session, row, isExtra(session), at) : [];
      return { events, answer: () => undefined };
    },
  });
}

function* fire(
  ports: FirePorts,
  session: OpenSession,
  row: FullScheduleRow,
  isExtra: boolean,
  at: number,
): Tx<NewEvent[]> {
  const { scheduleId } = row;
  if (isExtra && row.status === 'ended') {
    throw new StoaError('schedule_ended', `${scheduleId} has ended`);
  }
  const isDue = row.status === 'active' && (row.nextFireAt ?? at + 1) <= at;
  if (!isExtra && !isDue) return [];
  if (session.endedAt !== null) return yield* ended(session, row);
  const planned = isExtra ? now(row, at) : planFire(ports.calendar, row, at);
  const { skips, dueAt, nextFireAt } = planned;
  const created = decode(row.created);
  const blocked = skips ? 'missed' : yield* whyNot(created, row, session, isExtra);
  const events =
    blocked === undefined
      ? yield* accept(ports, session, row, created, planned, at)
      : [
          inSession(session, {
            type: 'schedule_skipped',
            data: { scheduleId, dueAt, reason: blocked },
          }),
        ];
  const fires = row.fires + (blocked === undefined ? 1 : 0);
  const isSpent = fires >= (created.maxFires ?? Infinity);
  if (isSpent || (!isExtra && nextFireAt === undefined)) {
    return [...events, ...(yield* ended(session, row))];
  }
  return isExtra ? events : [...events, changed(session, scheduleId, 'active', nextFireAt)];
}

/** Ends a schedule and unbinds it from its thread. */
export function* ended(
  session: OpenSession,
  { scheduleId, created }: FullScheduleRow,
): Tx<NewEvent[]> {
  const thread = threadOf(session.sessionId, decode(created));
  return [changed(session, scheduleId, 'ended'), ...(thread ? yield* unbindSchedule(thread) : [])];
}

const now = (row: FullScheduleRow, at: number): PlannedFire => ({
  dueAt: at,
  missed: 0,
  skips: false,
  nextFireAt: row.nextFireAt ?? undefined,
});

function* whyNot(
  created: Created,
  row: FullScheduleRow,
  session: OpenSession,
  isExtra: boolean,
): Tx<string | undefined> {
  const overlaps = yield* overlapReason(created, row);
  // A caller gets the error of a full inbox; a fire that is due has no caller and is skipped.
  return overlaps ?? (isExtra ? undefined : yield* whyFull(session));
}

function* accept(
  { context }: FirePorts,
  session: OpenSession,
  { scheduleId, createdBy }: FullScheduleRow,
  created: Created,
  { dueAt, missed }: PlannedFire,
  at: number,
): Tx<NewEvent[]> {
  const { title, inputItems, channelId, threadRootMessageId, ceiling } = created;
  const accepted = yield* acceptItem(context, session, {
    kind: 'schedule',
    rule: 'followup',
    from: createdBy,
    fromName: title,
    inputItems,
    origin: {
      scheduleId,
      ...(channelId === undefined ? {} : { channelId }),
      ...(threadRootMessageId === undefined ? {} : { threadRootMessageId }),
    },
    metadata: {},
    ceiling,
  });
  const data = { scheduleId, dueAt, runId: accepted.runId, missed };
  const thread = threadOf(session.sessionId, created);
  return [
    ...accepted.events,
    inSession(session, { type: 'schedule_fired', data }),
    ...(thread ? yield* reportFire(context, thread, at) : []),
  ];
}

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

/** Why it does not fire while the run of its last fire goes on. */
function* overlapReason(
  { overlap }: Created,
  { lastRunId }: FullScheduleRow,
): Tx<string | undefined> {
  if (overlap === 'parallel' || lastRunId === null) return undefined;
  const last = yield* findRunRow.first({ runId: lastRunId });
  if (!last || isTerminalRunStatus(last.status)) return undefined;
  if (overlap === 'skip') return 'the last one is not done';
  return last.status === 'queued' ? 'one waits already' : undefined;
}
