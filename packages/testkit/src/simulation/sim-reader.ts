import { isDeepStrictEqual } from 'node:util';
import {
  type LogEntry,
  parseEntry,
  READER_LIMIT_BYTES,
  type Reader,
  type Subscription,
} from '@stoa/core';
import type { Fail } from './failure.js';
import type { ModelState } from './model/state.js';

/**
 * A client that follows one topic.
 *
 *   away ──connects──▶ connecting ──subscribed──▶ following ──disconnects, or its daemon dies──▶ away
 *                                                     └──gap reported, cut off──────▶ away
 *
 * It resumes from its last sequence, and insists on every event once, in order, as it was committed.
 */
export class SimReader implements Reader {
  state: 'away' | 'connecting' | 'following' = 'away';
  /** The last sequence it has; undefined until it followed for the first time. */
  last: number | undefined;
  /** Where it is connected to. */
  daemon: object | undefined;
  subscription: Subscription | undefined;
  readonly #unchecked: LogEntry[] = [];
  #gapsUnchecked: { after: number; oldest: number }[] = [];
  #buffered: number[] = [];
  #isReportedSlow = false;
  #room: (() => void) | undefined;

  constructor(
    readonly name: string,
    readonly client: string,
    readonly topic: string,
    /** How many bytes it leaves lying before it counts as slow; undefined: it takes all at once. */
    private readonly capacity: number | undefined,
    private readonly disk: { readonly isInTransaction: boolean; readonly isCommitting: boolean },
    /** Nobody may throw at the hub, so what is wrong is noted. */
    private readonly fail: Fail,
    private readonly saw: (what: string) => void,
  ) {}

  get isSlow(): boolean {
    return this.capacity !== undefined;
  }

  started(subscription: Subscription): void {
    if (this.last !== undefined) this.saw('reader resumed');
    this.subscription = subscription;
    this.state = 'following';
    this.last = subscription.position;
    this.#isReportedSlow = false;
  }

  /** The connection is gone; nothing of what was in flight arrives. */
  away(): void {
    this.subscription?.end();
    this.subscription = undefined;
    this.state = 'away';
    this.daemon = undefined;
    this.#buffered = [];
    this.#room = undefined;
  }

  event(entry: LogEntry, encoded: string): void {
    if (this.state !== 'following')
      this.fail(`${this.name} got an event while it was ${this.state}`);
    if (this.disk.isInTransaction)
      this.fail(`${this.name} received what is not committed`, { entry });
    if (entry.topic !== this.topic) this.fail(`${this.name} got an event of ${entry.topic}`);
    if (entry.seq !== (this.last ?? 0) + 1) {
      this.fail(`${this.name} got sequence ${entry.seq} after ${this.last}`, { entry });
    }
    // What comes while something is committed comes live, and not at the pace of the reader.
    if (this.disk.isCommitting && this.pendingBytes() > READER_LIMIT_BYTES) {
      this.fail(`${this.name} does not keep up and is given more`);
    }
    if (!isDeepStrictEqual(JSON.parse(encoded), parseEntry(entry))) {
      this.fail('an event is encoded wrongly', { encoded, entry });
    }
    this.last = entry.seq;
    this.#unchecked.push(entry);
    if (this.isSlow) this.#buffered.push(encoded.length);
  }

  chunk(): void {}

  gap(topic: string, after: number, oldest: number, reason: string): void {
    if (topic !== this.topic || after !== this.last) {
      this.fail(`${this.name}, which has ${this.last}, received a gap`, {
        topic,
        after,
        oldest,
      });
    }
    if (reason === 'slow_reader') {
      if (this.pendingBytes() <= READER_LIMIT_BYTES) this.fail(`${this.name} is not slow`);
      this.#isReportedSlow = true;
      this.saw('slow reader cut off');
      return;
    }
    if (reason !== 'trimmed') this.fail(`${this.name} received a gap`, { after, oldest, reason });
    this.saw('reader informed of a gap');
    this.#gapsUnchecked.push({ after, oldest });
    this.last = oldest - 1;
  }

  cutOff(): void {
    if (!this.#isReportedSlow) this.fail(`${this.name} was cut off without a reason`);
    this.away();
  }

  /** In the measure of the hub: what is over the capacity is over the limit. */
  pendingBytes(): number {
    if (this.capacity === undefined) return 0;
    return (
      (this.#buffered.reduce((sum, bytes) => sum + bytes, 0) / this.capacity) * READER_LIMIT_BYTES
    );
  }

  drained(): Promise<void> {
    return new Promise((resolve) => {
      this.#room = resolve;
    });
  }

  /** Reads some of the buffered events. */
  drain(events: number): void {
    this.#buffered.splice(0, events);
    if (this.pendingBytes() > READER_LIMIT_BYTES / 2) return;
    this.#room?.();
    this.#room = undefined;
  }

  /** Everything it received must be committed, and only trimmed events may be missing. */
  check(state: ModelState, largestPage: number): void {
    const topic = state.topics.get(this.topic);
    for (const entry of this.#unchecked.splice(0)) {
      const { topic: name, seq, at, actor, type, data } = parseEntry(entry);
      if (!isDeepStrictEqual(topic?.events[seq - 1], { topic: name, seq, at, actor, type, data })) {
        this.fail(`${this.name} received what is not in the log`, {
          entry,
          log: topic?.events[seq - 1],
        });
      }
    }
    for (const { after, oldest } of this.#gapsUnchecked.splice(0)) {
      if (!topic || oldest - 1 > topic.floor || oldest <= after + 1) {
        this.fail(`${this.name} received a gap that is none`, {
          after,
          oldest,
          floor: topic?.floor,
        });
      }
    }
    if (this.#buffered.length > largestPage) {
      this.fail(`${this.#buffered.length} events wait for ${this.name}`);
    }
  }
}
