import type { Tx } from '../sql/statement.js';
import { statement } from '../sql/statement.js';
import type { LogRange } from './message-changes.js';

export interface WindowLimits {
  readonly events: number;
  readonly bytes: number;
}

interface Measured {
  seq: number;
  at: number;
  bytes: number;
}

const measureEvents = statement<LogRange, Measured>(
  `SELECT "seq", "at", octet_length("body") AS "bytes" FROM "events"
   WHERE "topicId" = :topicId AND "seq" > :after AND "seq" <= :upTo ORDER BY "seq"`,
);

export interface Window extends LogRange {
  /** The time of its last event. */
  readonly at: number;
  readonly bytes: number;
}

/**
 * The oldest part of a range within the limits; at least one event, because one message may exceed the limit.
 * Undefined if the range is empty: its events were erased.
 */
export function* oldestWindow(range: LogRange, limits: WindowLimits): Tx<Window | undefined> {
  const { topicId, after } = range;
  const upTo = Math.min(range.upTo, after + limits.events);
  const kept = withinBytes(yield* measureEvents.all({ topicId, after, upTo }), limits.bytes);
  const last = kept.events.at(-1);
  if (!last) return undefined;
  return { topicId, after, upTo: last.seq, at: last.at, bytes: kept.bytes };
}

/** The newest part of a range within the limits. */
export function* newestWindow(range: LogRange, limits: WindowLimits): Tx<Window | undefined> {
  const { topicId, upTo } = range;
  const after = Math.max(range.after, upTo - limits.events);
  const measured = yield* measureEvents.all({ topicId, after, upTo });
  const kept = withinBytes(measured.reverse(), limits.bytes);
  const [newest, oldest] = [kept.events[0], kept.events.at(-1)];
  if (!newest || !oldest) return undefined;
  return { topicId, after: oldest.seq - 1, upTo, at: newest.at, bytes: kept.bytes };
}

function withinBytes(
  measured: readonly Measured[],
  limit: number,
): { events: Measured[]; bytes: number } {
  const events: Measured[] = [];
  let bytes = 0;
  for (const event of measured) {
    if (events.length > 0 && bytes + event.bytes > limit) break;
    events.push(event);
    bytes += event.bytes;
  }
  return { events, bytes };
}
