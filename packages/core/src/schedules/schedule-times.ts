import type { Cadence } from '@stoa/protocol';
import type { FullScheduleRow } from '@stoa/store';
import { decode } from '../kernel/codec.js';
import type { Calendar } from '../ports.js';

/** Missed times are counted up to this number. */
const MISSED_COUNTED = 1_000;
/** A fire that is later than this counts as missed. */
const LATE_MS = 60_000;

export interface PlannedFire {
  readonly dueAt: number;
  readonly missed: number;
  /** It is too late and does not fire. */
  readonly skips: boolean;
  /** Undefined: this was its last time. */
  readonly nextFireAt: number | undefined;
}

/** The first time after `after` of a schedule that was created at `since`. */
export function nextFire(
  calendar: Calendar,
  cadence: Cadence,
  since: number,
  after: number,
): number | undefined {
  switch (cadence.kind) {
    case 'once':
      return cadence.at > after ? cadence.at : undefined;
    case 'interval': {
      const passed = Math.floor((after - since) / cadence.everyMs);
      return since + (passed + 1) * cadence.everyMs;
    }
    case 'cron':
      return calendar.nextCron(cadence.expression, cadence.timeZone, after);
  }
}

/**
 * Decides about times that passed without a fire: `coalesce_once` fires once for all of them, `skip_missed` only if the last
 * is not late.
 */
export function planFire(calendar: Calendar, row: FullScheduleRow, at: number): PlannedFire {
  const { cadence, misfire } = decode(row.created);
  const next = (after: number): number | undefined =>
    nextFire(calendar, cadence, row.createdAt, after);
  let dueAt = row.nextFireAt ?? at;
  let missed = 0;
  let nextFireAt = next(dueAt);
  while (nextFireAt !== undefined && nextFireAt <= at && missed < MISSED_COUNTED) {
    dueAt = nextFireAt;
    missed += 1;
    nextFireAt = next(dueAt);
  }
  if (nextFireAt !== undefined && nextFireAt <= at) nextFireAt = next(at);
  const isLate = at - dueAt > LATE_MS;
  return { dueAt, missed, skips: misfire === 'skip_missed' && isLate, nextFireAt };
}
