import { encodeEntry, type LogEntry } from './entry.js';
import type { PageLimit, TopicSlice } from './read-topic.js';
import { type Ephemeral, READER_LIMIT_BYTES, type Reader } from './reader.js';
import { Subscription } from './subscription.js';

/**
 * Live delivery of one topic. An event that follows the head is delivered when it is committed; otherwise the feed reads
 * the missing events from the log. So a lost hint delays delivery and never loses an event.
 *
 * A feed exists while somebody follows its topic:
 *
 *   opening ──first read──▶ idle
 *   idle ──committed, seq = head + 1──▶ broadcast to the live readers (encoded once)
 *     │ ──hint, or a sequence further on──▶ pumping: reads from the log until it has caught up
 */
interface Feed {
  readonly topic: string;
  /** Undefined until the first read of the log. */
  head: number | undefined;
  /** The last sequence that was committed before the head was known. */
  committedSeq: number;
  readonly live: Set<Subscription>;
  pumping: boolean;
  again: boolean;
  watchers: number;
}

export interface HubPorts {
  readonly read: (
    topic: string,
    after: number,
    limit: PageLimit,
  ) => Promise<TopicSlice | undefined>;
  readonly report: (error: unknown) => void;
  /** Text on this topic that is still being written. Late subscribers receive it. */
  readonly drafts?: (topic: string) => readonly Ephemeral[];
}

/** Fewer bytes than make a reader count as slow, so that a reader which catches up does not. */
const PAGE: PageLimit = { events: 200, bytes: READER_LIMIT_BYTES / 2 };

export class Hub {
  readonly #feeds = new Map<string, Feed>();

  constructor(private readonly ports: HubPorts) {}

  /** Entries of one commit, in order. */
  committed(entries: readonly LogEntry[]): void {
    for (const entry of entries) {
      const feed = this.#feeds.get(entry.topic);
      if (!feed) continue;
      if (feed.head === undefined) feed.committedSeq = Math.max(feed.committedSeq, entry.seq);
      else if (entry.seq === feed.head + 1 && !feed.pumping) this.#broadcast(feed, entry);
      else if (entry.seq > feed.head) this.#pump(feed);
    }
  }

  /** Sends text that is still being written to live readers. It has no sequence and is not stored. */
  show(topic: string, chunk: Ephemeral): void {
    const feed = this.#feeds.get(topic);
    if (feed) for (const subscription of feed.live) subscription.show(chunk);
  }

  /** Another daemon wrote to this topic; `undefined` means any topic may have grown. */
  hint(topic: string | undefined): void {
    if (topic === undefined) for (const feed of this.#feeds.values()) this.#pump(feed);
    else {
      const feed = this.#feeds.get(topic);
      if (feed) this.#pump(feed);
    }
  }

  /**
   * Follows a topic for a reader: missed events first, then live ones, each once and in order.
   * Without `after` it starts from now. Returns undefined when there is no such topic.
   */
  async follow(
    reader: Reader,
    topic: string,
    after: number | undefined,
  ): Promise<Subscription | undefined> {
    const feed = this.#watch(topic);
    const slice = await this.#open(feed, after);
    if (!slice) return undefined;
    const subscription = new Subscription(reader, topic, after ?? slice.head, slice, {
      read: (position) => this.ports.read(topic, position, PAGE),
      join: (joining) => this.#join(feed, joining),
      leave: (leaving) => {
        this.#unwatch(feed, leaving);
      },
      report: this.ports.report,
    });
    return subscription;
  }

  get topicCount(): number {
    return this.#feeds.size;
  }

  /** The feed is registered before the log is read, so that no commit in between is missed. */
  #watch(topic: string): Feed {
    let feed = this.#feeds.get(topic);
    if (!feed) {
      feed = {
        topic,
        head: undefined,
        committedSeq: 0,
        live: new Set(),
        pumping: false,
        again: false,
        watchers: 0,
      };
      this.#feeds.set(topic, feed);
    }
    feed.watchers += 1;
    return feed;
  }

  async #open(feed: Feed, after: number | undefined): Promise<TopicSlice | undefined> {
    let slice: TopicSlice | undefined;
    try {
      slice = await this.ports.read(feed.topic, after ?? Number.MAX_SAFE_INTEGER, PAGE);
    } finally {
      if (!slice) this.#unwatch(feed);
    }
    if (slice && feed.head === undefined) {
      feed.head = slice.head;
      if (feed.committedSeq > feed.head) this.#pump(feed);
    }
    return slice;
  }

  #unwatch(feed: Feed, subscription?: Subscription): void {
    if (subscription) feed.live.delete(subscription);
    feed.watchers -= 1;
    if (feed.watchers === 0) this.#feeds.delete(feed.topic);
  }

  /** A reader that has everything up to the head becomes live. The check and the change are one step. */
  #join(feed: Feed, subscription: Subscription): boolean {
    if (feed.head === undefined || subscription.position < feed.head) return false;
    feed.live.add(subscription);
    for (const draft of this.ports.drafts?.(feed.topic) ?? []) subscription.show(draft);
    return true;
  }

  #broadcast(feed: Feed, entry: LogEntry): void {
    feed.head = entry.seq;
    if (feed.live.size === 0) return;
    const text = encodeEntry(entry);
    for (const subscription of feed.live) subscription.deliver(entry, text);
  }

  #pump(feed: Feed): void {
    if (feed.head === undefined) {
      feed.committedSeq = Number.MAX_SAFE_INTEGER;
      return;
    }
    if (feed.pumping) {
      feed.again = true;
      return;
    }
    feed.pumping = true;
    feed.again = false;
    this.#catchUp(feed)
      .catch(this.ports.report)
      .finally(() => {
        feed.pumping = false;
        if (feed.again && feed.watchers > 0) this.#pump(feed);
      });
  }

  async #catchUp(feed: Feed): Promise<void> {
    while (feed.watchers > 0) {
      const head = feed.head ?? 0;
      const slice = await this.ports.read(feed.topic, head, PAGE);
      if (!slice || slice.entries.length === 0) return;
      for (const entry of slice.entries) if (entry.seq > head) this.#broadcast(feed, entry);
    }
  }
}
