import { encodeEntry, type LogEntry } from './entry.js';
import type { TopicSlice } from './read-topic.js';
import { type CutOffReason, type Ephemeral, READER_LIMIT_BYTES, type Reader } from './reader.js';

interface SubscriptionPorts {
  readonly read: (after: number) => Promise<TopicSlice | undefined>;
  readonly join: (subscription: Subscription) => boolean;
  readonly leave: (subscription: Subscription) => void;
  readonly report: (error: unknown) => void;
}

/**
 * One reader on one topic.
 *
 *   catching up ──has the head──▶ live ──▶ ended
 *        │  reads the log page by page, at the pace of the reader
 *        └──▶ ended
 *
 * A live reader with more pending bytes than the limit receives a gap and is cut off, which bounds the memory of the
 * daemon. It can resume from its last sequence.
 */
export class Subscription {
  #ended = false;
  /** The head and the oldest stored event of the topic when the subscription was opened. */
  readonly head: number;
  readonly oldest: number;
  #start: TopicSlice | undefined;

  constructor(
    private readonly reader: Reader,
    readonly topic: string,
    private sent: number,
    start: TopicSlice,
    private readonly ports: SubscriptionPorts,
  ) {
    this.head = start.head;
    this.oldest = start.oldest;
    this.#start = start;
  }

  /** The last sequence that was sent to the reader. */
  get position(): number {
    return this.sent;
  }

  /** Starts delivery. Called once, after the reader was informed of the subscription. */
  begin(): void {
    if (this.sent > this.head) {
      this.reader.gap(this.topic, this.sent, this.head + 1, 'ahead');
      this.sent = this.head;
    }
    const start = this.#start;
    // A subscription lives long: release the first page.
    this.#start = undefined;
    this.#catchUp(start).catch((error: unknown) => {
      this.ports.report(error);
      this.#disconnect('unavailable');
    });
  }

  /** Called by the hub for the next event of a live reader. */
  deliver(entry: LogEntry, encoded: string): void {
    if (this.#ended || entry.seq <= this.sent) return;
    if (this.reader.pendingBytes() > READER_LIMIT_BYTES) {
      this.#cutOff();
      return;
    }
    this.#guarded(() => {
      // Another daemon wrote events and trimmed them before this one read them.
      if (entry.seq > this.sent + 1) this.reader.gap(this.topic, this.sent, entry.seq, 'trimmed');
      this.sent = entry.seq;
      this.reader.event(entry, encoded);
    });
  }

  /**
   * Skips chunks for a reader that is behind: the event contains the whole text. `draft_ended` is always sent, because no
   * event reports it.
   */
  show(chunk: Ephemeral): void {
    const isBehind = this.reader.pendingBytes() > READER_LIMIT_BYTES / 2;
    if (this.#ended || (isBehind && chunk.type !== 'draft_ended')) return;
    this.#guarded(() => {
      this.reader.chunk(chunk);
    });
  }

  /** A reader must not throw. If it does, neither the writer nor other readers are affected. */
  #guarded(deliver: () => void): void {
    try {
      deliver();
    } catch (error) {
      this.ports.report(error);
      this.end();
    }
  }

  /** Idempotent. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.ports.leave(this);
  }

  async #catchUp(start: TopicSlice | undefined): Promise<void> {
    let slice = start;
    while (!this.#ended) {
      if (!slice) {
        this.#disconnect('unavailable');
        return;
      }
      this.#deliverSlice(slice);
      if (this.ports.join(this)) return;
      if (!(await this.#keptUp())) return;
      slice = await this.ports.read(this.sent);
    }
  }

  /** False if the reader was too slow and is cut off. */
  async #keptUp(): Promise<boolean> {
    if (this.reader.pendingBytes() <= READER_LIMIT_BYTES / 2) return true;
    try {
      await this.reader.drained();
      return true;
    } catch {
      this.#cutOff();
      return false;
    }
  }

  #deliverSlice(slice: TopicSlice): void {
    if (this.sent + 1 < slice.oldest) {
      this.reader.gap(this.topic, this.sent, slice.oldest, 'trimmed');
      this.sent = slice.oldest - 1;
    }
    for (const entry of slice.entries) {
      if (this.#ended) return;
      if (entry.seq <= this.sent) continue;
      this.sent = entry.seq;
      this.reader.event(entry, encodeEntry(entry));
    }
  }

  #cutOff(): void {
    if (this.#ended) return;
    this.reader.gap(this.topic, this.sent, this.sent + 1, 'slow_reader');
    this.#disconnect('slow_reader');
  }

  /** The reader can resume from its last sequence. */
  #disconnect(reason: CutOffReason): void {
    if (this.#ended) return;
    this.end();
    this.reader.cutOff(reason);
  }
}
