import type { Cadence } from '@stoa/protocol';
import type { FullScheduleRow } from '@stoa/store';
import { decode } from '../kernel/codec.js';
import type { Calendar } from '../ports.js';

/** Times that were missed are counted up to this many. */
const MISSED_COUNTED = 1_000;
/** Later than this after its time, a fire counts as missed. */
const LATE_MS = 60_000;

/** What comes of a schedule that is looked at. */
export interface PlannedFire {
  readonly dueAt: number;
  readonly missed: number;
  /** It is too late for it. */
  readonly skips: boolean;
  /** None: that was the last. */
  readonly nextFireAt: number | undefined;
}

/** The first time after another one, of a schedule that was made at `since`. */
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
 * Times that passed while nobody looked: with `coalesce_once` one fire stands for all of them, with
 * `skip_missed` only one that is due just now counts.
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
