import type { Client, StoaProblem } from '@stoa/client';
import type { Message, PostMessage } from '@stoa/protocol';
import { isTemporary } from './failures.js';
import { conversationKey, type Pending } from './pending.js';

/** Storage of this browser for unsent messages, so that they outlive the page. */
interface SendQueueShelf {
  readonly all: () => readonly string[];
  readonly put: (key: string, text: string) => void;
  readonly drop: (key: string) => void;
}

export interface SendQueuePorts {
  readonly client: { readonly messages: Pick<Client['messages'], 'post'> };
  readonly shelf: SendQueueShelf;
  readonly now: () => number;
  readonly newKey: () => string;
}

type SendQueueSignal =
  | { readonly type: 'changed' }
  | { readonly type: 'sent'; readonly message: Message };

type SendQueueListener = (signal: SendQueueSignal) => void;

/** Messages that waited for longer are not sent automatically: the conversation has continued. */
const WAITS_MS = 12 * 3_600_000;

/**
 * The reader's messages that the daemon has not confirmed, in all channels. Within one conversation (a channel or a
 * thread) they are sent one after the other, so that they keep their order.
 */
export class SendQueue {
  private pending: readonly Pending[];
  /** Keys of messages that an event confirmed before the call was answered. */
  private readonly confirmed = new Set<string>();
  private readonly busy = new Set<string>();
  private readonly listeners = new Map<string, Set<SendQueueListener>>();

  constructor(private readonly ports: SendQueuePorts) {
    this.pending = restored(ports.shelf.all(), ports.now());
  }

  of(conversation: string): readonly Pending[] {
    return this.pending.filter(
      (each) => conversationOf(each) === conversation && !this.confirmed.has(each.key),
    );
  }

  listen(conversation: string, listener: SendQueueListener): () => void {
    const listeners = this.listeners.get(conversation) ?? new Set();
    this.listeners.set(conversation, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.listeners.delete(conversation);
    };
  }

  post(channelId: string, post: PostMessage): void {
    const { newKey, now } = this.ports;
    const pending: Pending = { key: newKey(), channelId, post, at: now(), state: 'sending' };
    this.put([...this.pending, pending], pending);
    // Earlier ones are sent first.
    this.send(
      (each) => each.state === 'waiting' && conversationOf(each) === conversationOf(pending),
    );
  }

  retry(key: string): void {
    this.send((each) => each.key === key);
  }

  discard(key: string): void {
    const found = this.pending.find((each) => each.key === key);
    if (found) this.remove(found);
  }

  /** The message is in the list already. If the call still fails, that was another message with the same text. */
  hide({ key }: Pending): void {
    this.confirmed.add(key);
  }

  /** Call it when the connection is back. */
  sendWaiting(): void {
    this.send(({ state }) => state === 'waiting');
  }

  private send(isIncluded: (pending: Pending) => boolean): void {
    const conversations = new Set<string>();
    for (const each of this.pending) {
      const isOnItsWay = isIncluded(each);
      if (isOnItsWay) this.mark(each, { state: 'sending' });
      if (isOnItsWay || each.state === 'sending') conversations.add(conversationOf(each));
    }
    for (const conversation of conversations) void this.drain(conversation);
  }

  private async drain(conversation: string): Promise<void> {
    if (this.busy.has(conversation)) return;
    this.busy.add(conversation);
    for (;;) {
      const next = this.pending.find(
        (each) => conversationOf(each) === conversation && each.state === 'sending',
      );
      if (!next) break;
      await this.deliver(next);
    }
    this.busy.delete(conversation);
  }

  private async deliver(pending: Pending): Promise<void> {
    const { key, channelId, post } = pending;
    try {
      const message = await this.ports.client.messages.post(channelId, post, {
        idempotencyKey: key,
      });
      this.remove(pending);
      this.notify(conversationOf(pending), { type: 'sent', message });
    } catch (error) {
      this.confirmed.delete(key);
      if (isTemporary(error)) {
        // Later ones wait with it.
        for (const each of this.pending) {
          const isBehind =
            conversationOf(each) === conversationOf(pending) && each.state === 'sending';
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
    this.notify(conversationOf(changed), { type: 'changed' });
  }

  private remove(pending: Pending): void {
    this.pending = this.pending.filter(({ key }) => key !== pending.key);
    this.confirmed.delete(pending.key);
    this.ports.shelf.drop(pending.key);
    this.notify(conversationOf(pending), { type: 'changed' });
  }

  private notify(conversation: string, signal: SendQueueSignal): void {
    for (const listener of [...(this.listeners.get(conversation) ?? [])]) listener(signal);
  }
}

const conversationOf = ({ channelId, post }: Pending): string =>
  conversationKey(channelId, post.threadRootMessageId);

/** Unsent messages of an earlier page, in order. */
function restored(texts: readonly string[], now: number): readonly Pending[] {
  return texts
    .flatMap((text) => pendingFrom(text) ?? [])
    .sort((a, b) => a.at - b.at)
    .map((each) => {
      if (each.state === 'failed') return each;
      return now - each.at < WAITS_MS
        ? { ...each, state: 'waiting' }
        : { ...each, state: 'failed', reason: 'the daemon was offline for too long' };
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
