import type { Client, StoaProblem } from '@stoa/client';
import type { Message, PostMessage } from '@stoa/protocol';
import { isPassing } from './passing.js';
import { type Pending, placeName } from './pending.js';

/** Where this browser keeps what is on its way, so that it outlives the page. */
interface OutboxShelf {
  readonly all: () => readonly string[];
  readonly put: (key: string, text: string) => void;
  readonly drop: (key: string) => void;
}

export interface OutboxPorts {
  readonly client: { readonly messages: Pick<Client['messages'], 'post'> };
  readonly shelf: OutboxShelf;
  readonly now: () => number;
  readonly newKey: () => string;
}

type OutboxSignal =
  | { readonly type: 'changed' }
  | { readonly type: 'sent'; readonly message: Message };

type OutboxListener = (signal: OutboxSignal) => void;

/** What waited for longer is not said by itself any more: the conversation has gone on. */
const WAITS_MS = 12 * 3_600_000;

/**
 * What the reader has said and the daemon has not confirmed, in all channels. In one place (a channel, or a
 * thread) one message is sent after the other, so that they stand there in the order they were written in.
 */
export class Outbox {
  private pending: readonly Pending[];
  /** Those that were heard of before they were answered. */
  private readonly heard = new Set<string>();
  private readonly busy = new Set<string>();
  private readonly listeners = new Map<string, Set<OutboxListener>>();

  constructor(private readonly ports: OutboxPorts) {
    this.pending = restored(ports.shelf.all(), ports.now());
  }

  of(place: string): readonly Pending[] {
    return this.pending.filter((each) => placeOf(each) === place && !this.heard.has(each.key));
  }

  listen(place: string, listener: OutboxListener): () => void {
    const listeners = this.listeners.get(place) ?? new Set();
    this.listeners.set(place, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.listeners.delete(place);
    };
  }

  post(channelId: string, post: PostMessage): void {
    const { newKey, now } = this.ports;
    const pending: Pending = { key: newKey(), channelId, post, at: now(), state: 'sending' };
    this.put([...this.pending, pending], pending);
    // Those before it first.
    this.send((each) => each.state === 'waiting' && placeOf(each) === placeOf(pending));
  }

  retry(key: string): void {
    this.send((each) => each.key === key);
  }

  discard(key: string): void {
    const found = this.pending.find((each) => each.key === key);
    if (found) this.remove(found);
  }

  /** It stands in the list already. Should it fail all the same, it was another of the same words. */
  hide({ key }: Pending): void {
    this.heard.add(key);
  }

  /** To be called when there is a connection again. */
  sendWaiting(): void {
    this.send(({ state }) => state === 'waiting');
  }

  private send(isMeant: (pending: Pending) => boolean): void {
    const places = new Set<string>();
    for (const each of this.pending) {
      const isOnItsWay = isMeant(each);
      if (isOnItsWay) this.mark(each, { state: 'sending' });
      if (isOnItsWay || each.state === 'sending') places.add(placeOf(each));
    }
    for (const place of places) void this.drain(place);
  }

  private async drain(place: string): Promise<void> {
    if (this.busy.has(place)) return;
    this.busy.add(place);
    for (;;) {
      const next = this.pending.find((each) => placeOf(each) === place && each.state === 'sending');
      if (!next) break;
      await this.deliver(next);
    }
    this.busy.delete(place);
  }

  private async deliver(pending: Pending): Promise<void> {
    const { key, channelId, post } = pending;
    try {
      const message = await this.ports.client.messages.post(channelId, post, {
        idempotencyKey: key,
      });
      this.remove(pending);
      this.tell(placeOf(pending), { type: 'sent', message });
    } catch (error) {
      this.heard.delete(key);
      if (isPassing(error)) {
        // Those behind it wait with it.
        for (const each of this.pending) {
          const isBehind = placeOf(each) === placeOf(pending) && each.state === 'sending';
          if (isBehind) this.mark(each, { state: 'waiting' });
        }
      } else this.mark(pending, { state: 'failed', reason: (error as StoaProblem).message });
    }
  }

  private mark(
    { key }: Pending,
    change: { readonly state: Pending['state']; readonly reason?: string },
  ): void {
    const found = this.pending.find((each) => each.key === key);
    if (!found) return;
    const { reason: _, ...rest } = found;
    const marked = { ...rest, ...change };
    this.put(
      this.pending.map((each) => (each === found ? marked : each)),
      marked,
    );
  }

  private put(pending: readonly Pending[], changed: Pending): void {
    this.pending = pending;
    this.ports.shelf.put(changed.key, JSON.stringify(changed));
    this.tell(placeOf(changed), { type: 'changed' });
  }

  private remove(pending: Pending): void {
    this.pending = this.pending.filter(({ key }) => key !== pending.key);
    this.heard.delete(pending.key);
    this.ports.shelf.drop(pending.key);
    this.tell(placeOf(pending), { type: 'changed' });
  }

  private tell(place: string, signal: OutboxSignal): void {
    for (const listener of [...(this.listeners.get(place) ?? [])]) listener(signal);
  }
}

const placeOf = ({ channelId, post }: Pending): string =>
  placeName(channelId, post.threadRootMessageId);

/** What an earlier page left behind, in the order it was written in. */
function restored(texts: readonly string[], now: number): readonly Pending[] {
  return texts
    .flatMap((text) => pendingFrom(text) ?? [])
    .sort((a, b) => a.at - b.at)
    .map((each) => {
      if (each.state === 'failed') return each;
      return now - each.at < WAITS_MS
        ? { ...each, state: 'waiting' }
        : { ...each, state: 'failed', reason: 'the daemon was away for too long' };
    });
}

function pendingFrom(text: string): Pending | undefined {
  try {
    const value = JSON.parse(text) as Pending;
    const isWhole =
      typeof value.key === 'string' &&
      typeof value.channelId === 'string' &&
      typeof value.post === 'object' &&
      typeof value.at === 'number';
    return isWhole ? value : undefined;
  } catch {
    return undefined;
  }
}
