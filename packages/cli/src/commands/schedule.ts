import type { Cadence, Misfire, Overlap, Schedule } from '@stoa/protocol';
import type { Context, GlobalFlags } from '../context.js';
import { durationText, parseInstant } from '../durations.js';
import { UsageError } from '../failure.js';
import { block, details } from '../terminal/details.js';
import { bodyOf } from '../terminal/message-text.js';
import { printableLine } from '../terminal/printable.js';
import { clockTime, relativeTime } from '../terminal/times.js';
import { titleOf } from '../terminal/title.js';
import { textFrom } from './message-input.js';

export interface CadenceOptions {
  readonly cron?: string;
  readonly timeZone?: string;
  /** Milliseconds. */
  readonly every?: number;
  readonly at?: string;
}

export interface AddScheduleOptions extends GlobalFlags, CadenceOptions {
  readonly session: string;
  readonly title?: string;
  readonly overlap?: Overlap;
  readonly misfire?: Misfire;
  readonly maxFires?: number;
  readonly key?: string;
}

export interface ListSchedulesOptions extends GlobalFlags {
  readonly session?: string;
  readonly before?: string;
  readonly limit: number;
  readonly quiet?: boolean;
}

export async function addSchedule(
  context: Context,
  words: readonly string[],
  options: AddScheduleOptions,
): Promise<void> {
  const cadence = cadenceFrom(options);
  const text = await textFrom(context, words);
  const { overlap, misfire } = options;
  const schedule = await context.client.schedules.create(
    {
      sessionId: options.session,
      title: options.title ?? titleOf(text),
      cadence,
      text,
      maxFires: options.maxFires,
      ...(overlap === undefined ? {} : { overlap }),
      ...(misfire === undefined ? {} : { misfire }),
    },
    { idempotencyKey: options.key },
  );
  context.answer(schedule, () => schedule.scheduleId);
  if (cadence.kind === 'once' && cadence.at <= context.io.now()) {
    context.say(`${clockTime(cadence.at, context.io.now())} is in the past: it fires immediately`);
  } else if (!context.flags.json && schedule.nextFireAt !== undefined) {
    context.say(`it first fires ${whenText(context, schedule.nextFireAt)}`);
  }
}

/** Exactly one way to say when. */
export function cadenceFrom({ cron, timeZone, every, at }: CadenceOptions): Cadence {
  const given = [cron, every, at].filter((value) => value !== undefined);
  if (given.length !== 1) {
    throw new UsageError(
      given.length === 0 ? 'no time is given' : 'more than one kind of time is given',
      'give one of --cron "0 9 * * 1-5", --every 10m or --at 2026-03-01T09:00',
    );
  }
  if (cron === undefined && timeZone !== undefined) {
    throw new UsageError('--time-zone requires --cron', 'with --at, add the offset to the time');
  }
  if (cron !== undefined) {
    return { kind: 'cron', expression: cron, timeZone: timeZone ?? ownTimeZone() };
  }
  if (every !== undefined) return { kind: 'interval', everyMs: every };
  const moment = parseInstant(at ?? '');
  if (moment === undefined) {
    throw new UsageError(
      `--at is not a time: ${at ?? ''}`,
      'write it as 2026-03-01T09:00; add Z or +01:00 for another time zone',
    );
  }
  return { kind: 'once', at: moment };
}

function ownTimeZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

export async function listSchedules(
  context: Context,
  _args: readonly string[],
  { session, before, limit, quiet }: ListSchedulesOptions,
): Promise<void> {
  const page = await context.client.schedules.list({ sessionId: session, before, limit });
  const { schedules, nextBefore } = page;
  if (context.flags.json) context.json(page);
  else if (quiet) for (const { scheduleId } of schedules) context.line(scheduleId);
  else if (schedules.length === 0) context.say('no schedules; create one: stoa schedule add');
  else context.line(scheduleTable(context, schedules));
  context.more(nextBefore);
}

function scheduleTable(context: Context, schedules: readonly Schedule[]): string {
  const now = context.io.now();
  return context.table(
    [
      { title: 'SCHEDULE' },
      { title: 'STATUS' },
      { title: 'WHEN' },
      { title: 'NEXT' },
      { title: 'FIRED', align: 'right' },
      { title: 'SKIPPED', align: 'right' },
      { title: 'TITLE' },
    ],
    schedules.map((schedule) => [
      schedule.scheduleId,
      schedule.status,
      cadenceText(schedule.cadence, now),
      schedule.nextFireAt === undefined ? '' : relativeTime(schedule.nextFireAt, now),
      String(schedule.fires),
      String(schedule.skipped),
      printableLine(schedule.title),
    ]),
  );
}

export async function showSchedule(
  context: Context,
  [scheduleId = '']: readonly string[],
): Promise<void> {
  show(context, await context.client.schedules.get(scheduleId));
}

export async function pauseSchedule(
  context: Context,
  [scheduleId = '']: readonly string[],
): Promise<void> {
  show(context, await context.client.schedules.pause(scheduleId));
}

export async function resumeSchedule(
  context: Context,
  [scheduleId = '']: readonly string[],
): Promise<void> {
  show(context, await context.client.schedules.resume(scheduleId));
}

export async function triggerSchedule(
  context: Context,
  [scheduleId = '']: readonly string[],
): Promise<void> {
  show(context, await context.client.schedules.trigger(scheduleId));
}

export async function removeSchedule(
  context: Context,
  [scheduleId = '']: readonly string[],
): Promise<void> {
  show(context, await context.client.schedules.end(scheduleId));
}

function show(context: Context, schedule: Schedule): void {
  context.answer(schedule, () => scheduleText(context, schedule));
}

function scheduleText(context: Context, schedule: Schedule): string {
  const { paint, io } = context;
  const { nextFireAt, lastFireAt, maxFires } = schedule;
  return [
    details(paint, { title: schedule.title, id: schedule.scheduleId }, [
      ['status', schedule.status],
      ['session', schedule.sessionId],
      ['when', cadenceText(schedule.cadence, io.now())],
      ['next', nextFireAt === undefined ? undefined : whenText(context, nextFireAt)],
      ['last', lastFireAt === undefined ? undefined : whenText(context, lastFireAt)],
      ['last run', schedule.lastRunId],
      ['fired', maxFires === undefined ? schedule.fires : `${schedule.fires} of ${maxFires}`],
      ['skipped', schedule.skipped],
      ['overlap', schedule.overlap],
      ['misfire', schedule.misfire],
      ['channel', schedule.channelId],
      ['created', `${relativeTime(schedule.createdAt, io.now())} by ${schedule.createdBy}`],
    ]),
    block(paint, 'text', bodyOf(schedule.inputItems)),
  ].join('\n');
}

export function cadenceText(cadence: Cadence, now: number): string {
  switch (cadence.kind) {
    case 'cron':
      return printableLine(`${cadence.expression} (${cadence.timeZone})`);
    case 'interval':
      return `every ${durationText(cadence.everyMs)}`;
    case 'once':
      return `at ${clockTime(cadence.at, now)}`;
  }
}

function whenText({ io }: Context, at: number): string {
  return `${clockTime(at, io.now())} (${relativeTime(at, io.now())})`;
}
