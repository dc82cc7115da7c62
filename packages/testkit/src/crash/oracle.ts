export interface Post {
  readonly key: string;
  readonly channelId: string;
  readonly text: string;
}

export interface Acknowledged {
  readonly messageId: string;
  readonly seq: number;
}

export interface Logged {
  readonly seq: number;
  readonly type: string;
  readonly data: {
    readonly messageId?: string;
    readonly inputItems?: readonly { readonly text?: string }[];
  };
}

/** What was promised, kept outside of the process that is killed, and compared with what it kept. */
export class Oracle {
  readonly #acknowledged = new Map<string, Acknowledged & Post>();
  readonly #logged = new Map<string, { readonly seq: number; readonly messageId: string }>();
  readonly #heads = new Map<string, number>();

  acknowledge(post: Post, answer: Acknowledged): void {
    this.#acknowledged.set(post.text, { ...post, ...answer });
  }

  get acknowledgedCount(): number {
    return this.#acknowledged.size;
  }

  /** The last sequence of a channel that was compared. */
  headOf(channelId: string): number {
    return this.#heads.get(channelId) ?? 0;
  }

  /** Takes the next events of a log; throws when one is missing, doubled or out of order. */
  read(channelId: string, events: readonly Logged[]): void {
    for (const event of events) {
      const expected = this.headOf(channelId) + 1;
      if (event.seq !== expected) {
        throw new Error(
          `${channelId}: expected event ${String(expected)}, found ${String(event.seq)}`,
        );
      }
      this.#heads.set(channelId, event.seq);
      const text = event.data.inputItems?.[0]?.text;
      if (event.type !== 'message_posted' || text === undefined) continue;
      if (this.#logged.has(text)) throw new Error(`${channelId}: "${text}" was stored twice`);
      this.#logged.set(text, { seq: event.seq, messageId: event.data.messageId ?? '' });
    }
  }

  /** Throws unless everything that was acknowledged is in what was read, where it was said to be. */
  assertNothingLost(): void {
    for (const { text, channelId, seq, messageId } of this.#acknowledged.values()) {
      const kept = this.#logged.get(text);
      if (!kept)
        throw new Error(`${channelId}: "${text}" was acknowledged as ${String(seq)} and is lost`);
      if (kept.seq !== seq || kept.messageId !== messageId) {
        throw new Error(
          `${channelId}: "${text}" was acknowledged as ${String(seq)} and is at ${String(kept.seq)}`,
        );
      }
    }
  }
}
