import { type FilterPatterns, LineFilter } from './line-filter.js';
import { LineReader, type ReadLine, type ReadPlace } from './line-reader.js';
import { TokenBucket } from './token-bucket.js';

export const EVENTS_DEFAULT = 1_000;
export const EVENTS_MOST = 10_000;
export const IDLE_MS_DEFAULT = 300_000;
export const IDLE_MS_MOST = 600_000;

export interface WatchRules extends FilterPatterns {
  readonly maxEvents: number;
  readonly idleMs: number;
}

/** How far it has come. Kept with what was told, so that no line is told twice. */
export interface WatchProgress extends ReadPlace {
  /** Lines that were told. */
  readonly events: number;
  /** Lines of interest that came too fast to be told. */
  readonly dropped: number;
  /** Bytes of output that were thrown away before they could be read. */
  readonly missedBytes: number;
}

export const WATCH_BEGINS: WatchProgress = {
  ...{ offset: 0, isInRest: false },
  ...{ events: 0, dropped: 0, missedBytes: 0 },
};

export interface ToldLine extends ReadLine {
  /** Counted from one. */
  readonly number: number;
}

/** Lines that came together. */
export interface Tidings {
  readonly lines: readonly ToldLine[];
  /** Since the tidings before these, up to the last line that was read. */
  readonly dropped: number;
  readonly missedBytes: number;
}

/**
 * What a monitor makes of the output of its command.
 *
 *   watching ── a line of interest, and a token is left   → it is told
 *            ── a line of interest, no token              → it is counted as dropped
 *            ── the last line it may tell                 → full: nothing is told or counted any more
 *            ── nothing printed for the idle time         → idle, while `isIdle` is asked
 *
 * What was dropped is said with the next tidings, and in the end by the totals of its progress.
 */
export class Watch {
  readonly #reader: LineReader;
  readonly #filter: LineFilter;
  readonly #bucket: TokenBucket;
  #heardAt: number;
  #events: number;
  #dropped: number;
  #missedBytes: number;
  #lines: ToldLine[] = [];
  #unsaid = { dropped: 0, missedBytes: 0 };

  /** Throws PatternProblem. `heardAt`: when something was printed last, if it was there before. */
  constructor(
    private readonly rules: WatchRules,
    progress: WatchProgress,
    now: number,
    heardAt = now,
  ) {
    this.#filter = new LineFilter(rules);
    this.#reader = new LineReader(progress);
    this.#bucket = new TokenBucket(now);
    this.#heardAt = heardAt;
    this.#events = progress.events;
    this.#dropped = progress.dropped;
    this.#missedBytes = progress.missedBytes;
  }

  get progress(): WatchProgress {
    return {
      ...this.#reader.place,
      events: this.#events,
      dropped: this.#dropped,
      missedBytes: this.#missedBytes,
    };
  }

  /** The place of the bytes that are to be given next. */
  get readAt(): number {
    return this.#reader.readAt;
  }

  get isFull(): boolean {
    return this.#events >= this.rules.maxEvents;
  }

  isIdle(now: number): boolean {
    this.#heardAt = Math.min(this.#heardAt, now);
    return now - this.#heardAt >= this.rules.idleMs;
  }

  /** `printedAt`: where that was before they were read. */
  take(bytes: Uint8Array, now: number, printedAt = now): void {
    if (bytes.length > 0) this.#heardAt = printedAt;
    this.#weigh(this.#reader.take(bytes), now);
  }

  /** The command has ended, and all it printed was given. */
  finish(now: number): void {
    this.#weigh(this.#reader.finish(), now);
  }

  /** The output up to there was thrown away before it was read. */
  passOver(to: number): void {
    const missed = to - this.readAt;
    this.#missedBytes += missed;
    this.#unsaid.missedBytes += missed;
    this.#reader.passOver(to);
  }

  /** What there is to tell since it was asked last; it stands in the progress already. */
  tidings(): Tidings | undefined {
    if (this.#lines.length === 0) return undefined;
    const tidings = { lines: this.#lines, ...this.#unsaid };
    this.#lines = [];
    this.#unsaid = { dropped: 0, missedBytes: 0 };
    return tidings;
  }

  /** They could not be told: nobody reads as fast as this. */
  drop({ lines, dropped, missedBytes }: Tidings): void {
    this.#events -= lines.length;
    this.#dropped += lines.length;
    this.#unsaid.dropped += dropped + lines.length;
    this.#unsaid.missedBytes += missedBytes;
  }

  #weigh(read: readonly ReadLine[], now: number): void {
    for (const line of read) {
      if (this.isFull) return;
      if (!this.#filter.passes(line.text)) continue;
      if (this.#bucket.take(now)) {
        this.#events += 1;
        this.#lines.push({ ...line, number: this.#events });
      } else {
        this.#dropped += 1;
        this.#unsaid.dropped += 1;
      }
    }
  }
}
