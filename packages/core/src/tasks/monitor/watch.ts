import { type FilterPatterns, LineFilter } from './line-filter.js';
import { LineReader, type ReadLine, type ReadPosition } from './line-reader.js';
import { TokenBucket } from './token-bucket.js';

export const DEFAULT_EVENTS = 1_000;
export const MAX_EVENTS = 10_000;
export const DEFAULT_IDLE_MS = 300_000;
export const MAX_IDLE_MS = 600_000;

export interface WatchRules extends FilterPatterns {
  readonly maxEvents: number;
  readonly idleMs: number;
}

/** How far a monitor has read. Stored in the commit that sends the lines, so that no line is sent twice. */
export interface WatchProgress extends ReadPosition {
  /** Lines that were sent. */
  readonly events: number;
  /** Lines that passed the filter and came too fast to be sent. */
  readonly dropped: number;
  /** Bytes of output that were removed before they were read. */
  readonly missedBytes: number;
}

export const WATCH_START: WatchProgress = {
  ...{ offset: 0, isInRest: false },
  ...{ events: 0, dropped: 0, missedBytes: 0 },
};

export interface NumberedLine extends ReadLine {
  /** Counted from one. */
  readonly number: number;
}

/** Lines that are sent together. */
export interface MonitorUpdate {
  readonly lines: readonly NumberedLine[];
  /** Since the update before this one. */
  readonly dropped: number;
  readonly missedBytes: number;
}

/**
 * Decides which lines of its command's output a monitor sends.
 *
 *   watching ── a line passes the filter, a token is left   → the line is sent
 *            ── a line passes the filter, no token is left  → the line counts as dropped
 *            ── the last allowed line is sent               → full: no line is sent or counted any more
 *            ── nothing is printed for the idle time        → `isIdle` is true
 *
 * The next update and the totals of the progress report dropped lines.
 */
export class Watch {
  readonly #reader: LineReader;
  readonly #filter: LineFilter;
  readonly #bucket: TokenBucket;
  #printedAt: number;
  #events: number;
  #dropped: number;
  #missedBytes: number;
  #lines: NumberedLine[] = [];
  #unreported = { dropped: 0, missedBytes: 0 };

  /** Throws PatternProblem. `printedAt`: when the command last printed, if it was watched before. */
  constructor(
    private readonly rules: WatchRules,
    progress: WatchProgress,
    now: number,
    printedAt = now,
  ) {
    this.#filter = new LineFilter(rules);
    this.#reader = new LineReader(progress);
    this.#bucket = new TokenBucket(now);
    this.#printedAt = printedAt;
    this.#events = progress.events;
    this.#dropped = progress.dropped;
    this.#missedBytes = progress.missedBytes;
  }

  get progress(): WatchProgress {
    return {
      ...this.#reader.position,
      events: this.#events,
      dropped: this.#dropped,
      missedBytes: this.#missedBytes,
    };
  }

  /** The offset of the bytes that `take` expects next. */
  get readAt(): number {
    return this.#reader.readAt;
  }

  get isFull(): boolean {
    return this.#events >= this.rules.maxEvents;
  }

  isIdle(now: number): boolean {
    this.#printedAt = Math.min(this.#printedAt, now);
    return now - this.#printedAt >= this.rules.idleMs;
  }

  /** `printedAt`: when the bytes were printed, if that was earlier. */
  take(bytes: Uint8Array, now: number, printedAt = now): void {
    if (bytes.length > 0) this.#printedAt = printedAt;
    this.#add(this.#reader.take(bytes), now);
  }

  /** The command has ended, and `take` received all of its output. */
  finish(now: number): void {
    this.#add(this.#reader.finish(), now);
  }

  /** The output before this offset was removed before it was read. */
  skipTo(offset: number): void {
    const missed = offset - this.readAt;
    this.#missedBytes += missed;
    this.#unreported.missedBytes += missed;
    this.#reader.skipTo(offset);
  }

  /** The lines since the last update. The progress counts them as sent. */
  takeUpdate(): MonitorUpdate | undefined {
    if (this.#lines.length === 0) return undefined;
    const update = { lines: this.#lines, ...this.#unreported };
    this.#lines = [];
    this.#unreported = { dropped: 0, missedBytes: 0 };
    return update;
  }

  /** The update was not sent because the inbox is full: its lines count as dropped. */
  drop({ lines, dropped, missedBytes }: MonitorUpdate): void {
    this.#events -= lines.length;
    this.#dropped += lines.length;
    this.#unreported.dropped += dropped + lines.length;
    this.#unreported.missedBytes += missedBytes;
  }

  #add(read: readonly ReadLine[], now: number): void {
    for (const line of read) {
      if (this.isFull) return;
      if (!this.#filter.passes(line.text)) continue;
      if (this.#bucket.take(now)) {
        this.#events += 1;
        this.#lines.push({ ...line, number: this.#events });
      } else {
        this.#dropped += 1;
        this.#unreported.dropped += 1;
      }
    }
  }
}
