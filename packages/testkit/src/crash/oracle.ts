import { isDeepStrictEqual } from 'node:util';

export interface Post {
  readonly key: string;
  readonly channelId: string;
  readonly text: string;
  /** The text of an asset that comes with it. */
  readonly asset: string | undefined;
}

export interface Acknowledged {
  readonly messageId: string;
  readonly seq: number;
  readonly inputItems: readonly { readonly text?: string; readonly assetId?: string }[];
}

export interface Logged {
  readonly seq: number;
  readonly type: string;
  readonly data: Partial<Omit<Acknowledged, 'seq'>>;
}

/**
 * Records, outside the process that is killed, what the process acknowledged, and compares it with what is stored: every
 * acknowledged message at its sequence with its content, none twice, no sequence missing, and no event sent to a live
 * reader that is not in the log.
 */
export class Oracle {
  readonly #acknowledged = new Map<
    string,
    { readonly post: Post; readonly answer: Acknowledged }
  >();
  readonly #received = new Map<string, Logged[]>();
  readonly #logs = new Map<string, Logged[]>();
  readonly #keyOfText = new Map<string, string>();

  get acknowledged(): readonly { readonly post: Post; readonly answer: Acknowledged }[] {
    return [...this.#acknowledged.values()];
  }

  /** A key that is asked again gives the answer it gave before. */
  acknowledge(post: Post, answer: Acknowledged): void {
    const before = this.#acknowledged.get(post.key)?.answer;
    if (before && !isDeepStrictEqual(before, answer)) {
      const [first, then] = [JSON.stringify(before), JSON.stringify(answer)];
      throw new Error(`"${post.text}" was answered with ${first} and then with ${then}`);
    }
    this.#acknowledged.set(post.key, { post, answer });
  }

  /** The last sequence of a channel that a live reader received. */
  lastReceived(channelId: string): number {
    return this.#received.get(channelId)?.length ?? 0;
  }

  receive(channelId: string, event: Logged): void {
    append(this.#received, channelId, event, 'a live reader of');
  }

  /** The last sequence of a channel that was read back. */
  headOf(channelId: string): number {
    return this.#logs.get(channelId)?.length ?? 0;
  }

  read(channelId: string, event: Logged): void {
    append(this.#logs, channelId, event, 'the log of');
    const text = event.data.inputItems?.[0]?.text;
    if (event.type !== 'message_posted' || text === undefined) return;
    const position = `${channelId} ${String(event.seq)}`;
    const before = this.#keyOfText.get(text);
    if (before !== undefined)
      throw new Error(`"${text}" is stored as ${before} and as ${position}`);
    this.#keyOfText.set(text, position);
  }

  /** Reads everything again, so that what was compared long ago is compared once more. */
  readAgain(): void {
    this.#logs.clear();
    this.#keyOfText.clear();
  }

  assertKept(): void {
    for (const { post, answer } of this.#acknowledged.values()) {
      const { messageId, seq, inputItems } = answer;
      const kept = this.#logs.get(post.channelId)?.[seq - 1]?.data;
      if (kept?.messageId === messageId && isDeepStrictEqual(kept.inputItems, inputItems)) continue;
      const [acknowledged, found] = [JSON.stringify(answer), JSON.stringify(kept)];
      throw new Error(`"${post.text}" was acknowledged as ${acknowledged}; there is ${found}`);
    }
    for (const [channelId, events] of this.#received) {
      const log = this.#logs.get(channelId) ?? [];
      const wrong = events.find((event) => !isDeepStrictEqual(log[event.seq - 1], event));
      if (!wrong) continue;
      const [received, kept] = [JSON.stringify(wrong), JSON.stringify(log[wrong.seq - 1])];
      throw new Error(`a live reader of ${channelId} received ${received}; the log has ${kept}`);
    }
  }
}

/** Sequences come without gaps, each once. */
function append(logs: Map<string, Logged[]>, name: string, event: Logged, whose: string): void {
  const log = logs.get(name) ?? [];
  logs.set(name, log);
  if (event.seq !== log.length + 1) {
    throw new Error(`${whose} ${name} has ${String(event.seq)} after ${String(log.length)}`);
  }
  log.push(event);
}
