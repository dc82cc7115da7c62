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
 * A live reader that leaves more than the limit lying is told of its gap and cut off: the daemon
 * never grows for it, and it can resume from its last sequence.
 */
export class Subscription {
  #ended = false;
  /** How far the topic reached, and from where on it was kept, when it was opened. */
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

  /** The last sequence handed to the reader. */
  get position(): number {
    return this.sent;
  }

  /** Starts delivery; called once, after the reader was told that it is subscribed. */
  begin(): void {
    if (this.sent > this.head) {
      this.reader.gap(this.topic, this.sent, this.head + 1, 'ahead');
      this.sent = this.head;
    }
    const start = this.#start;
    // It is held for as long as the reader follows: only what it still needs may stay with it.
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
      // What another daemon wrote and trimmed before this one heard of it cannot be delivered.
      if (entry.seq > this.sent + 1) this.reader.gap(this.topic, this.sent, entry.seq, 'trimmed');
      this.sent = entry.seq;
      this.reader.event(entry, encoded);
    });
  }

  /**
   * A chunk that would add to what is unsent is left out: the whole text comes with its event. That a
   * draft is over is always told, for nothing else would.
   */
  show(chunk: Ephemeral): void {
    const isBehind = this.reader.pendingBytes() > READER_LIMIT_BYTES / 2;
    if (this.#ended || (isBehind && chunk.type !== 'draft_ended')) return;
    this.#guarded(() => {
      this.reader.chunk(chunk);
    });
  }

  /** A reader that breaks its promise not to throw must not hurt whoever wrote, nor other readers. */
  #guarded(tell: () => void): void {
    try {
      tell();
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

  /** False when the reader stood still for so long that it is cut off. */
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

  /** Whatever the reason, it may try again from where it is. */
  #disconnect(reason: CutOffReason): void {
    if (this.#ended) return;
    this.end();
    this.reader.cutOff(reason);
  }
}
