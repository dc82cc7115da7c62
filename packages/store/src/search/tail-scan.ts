import type { Tx } from '../sql/statement.js';
import { newestWindow } from './log-window.js';
import { type LogRange, readChanges } from './message-changes.js';
import type { SearchMatch } from './search-index.js';
import { matches, type Term } from './search-query.js';

/** A match with the fields that order it. */
export interface DatedMatch extends SearchMatch {
  readonly createdAt: number;
}

/** How much one query reads past the watermarks: some tens of milliseconds. */
const TAIL_LIMITS = { events: 4_096, bytes: 8 * 1024 * 1024 } as const;
const WINDOW = { events: 256, bytes: 1024 * 1024 } as const;

/**
 * Searches committed messages that are not indexed. Normally there are few. If there are many (the index is being
 * rebuilt), it reads only the newest part of each topic, a share of a fixed amount: the answer then lacks older
 * messages until they are indexed.
 */
export function* scanTails(terms: readonly Term[], tails: readonly LogRange[]): Tx<DatedMatch[]> {
  const found: DatedMatch[] = [];
  const room: Room = { ...TAIL_LIMITS };
  for (const [index, tail] of tails.entries()) {
    const events = Math.ceil(room.events / (tails.length - index));
    const read = yield* scanTail(terms, tail, { events, bytes: room.bytes });
    found.push(...read.found);
    room.events -= read.events;
    room.bytes -= read.bytes;
    if (room.events <= 0 || room.bytes <= 0) break;
  }
  return found;
}

interface Room {
  events: number;
  bytes: number;
}

function* scanTail(
  terms: readonly Term[],
  tail: LogRange,
  room: Room,
): Tx<Room & { readonly found: DatedMatch[] }> {
  const { topicId } = tail;
  const found: DatedMatch[] = [];
  const read: Room = { events: 0, bytes: 0 };
  let { upTo } = tail;
  while (upTo > tail.after && read.events < room.events && read.bytes < room.bytes) {
    const events = Math.min(WINDOW.events, room.events - read.events);
    const window = yield* newestWindow({ ...tail, upTo }, { ...WINDOW, events });
    if (!window) break;
    for (const { seq, createdAt, text } of yield* readChanges(window)) {
      if (text !== undefined && matches(terms, text)) found.push({ topicId, seq, createdAt });
    }
    read.events += upTo - window.after;
    read.bytes += window.bytes;
    upTo = window.after;
  }
  return { ...read, found };
}

/** Newest first, with a fixed order within a millisecond. */
export function newestFirst(matches: readonly DatedMatch[], limit: number): SearchMatch[] {
  return [...matches]
    .sort((a, b) => b.createdAt - a.createdAt || b.topicId - a.topicId || b.seq - a.seq)
    .slice(0, limit)
    .map(({ topicId, seq }) => ({ topicId, seq }));
}
