import { type Client, LiveDrafts, StoaProblem, type Writing } from '@stoa/client';
import type { Message, PostMessage, Stamped } from '@stoa/protocol';
import type { LiveHub, LiveSignal } from './live-hub.js';
import { changedBy, type MessageList, merged, replaced, saidBy } from './message-list.js';
import { heardOf, type Pending } from './pending.js';

/** What is shown of a channel. A new object whenever anything of it has changed. */
export interface ChannelView {
  readonly status: 'loading' | 'ready' | 'failed';
  readonly problem: StoaProblem | undefined;
  /** A stretch of the log without holes. */
  readonly messages: MessageList;
  readonly hasOlder: boolean;
  /** Whether the stretch ends before the log does, as after a jump into the past. */
  readonly hasNewer: boolean;
  readonly loading: 'older' | 'newer' | undefined;
  readonly pending: readonly Pending[];
  readonly writing: readonly Writing[];
}

export interface ChannelMessagesPorts {
  readonly client: Pick<Client, 'messages'>;
  readonly live: Pick<LiveHub, 'listen'>;
  readonly me: string;
  readonly now: () => number;
  readonly newKey: () => string;
}

const PAGE = 50;

const EMPTY: ChannelView = {
  status: 'loading',
  problem: undefined,
  messages: [],
  hasOlder: false,
  hasNewer: false,
  loading: undefined,
  pending: [],
  writing: [],
};

/**
 * The messages of one channel: pages of its log, and what is heard of it, in order and each once.
 *
 * What is new comes with its event. What has changed (edits, reactions, counts of replies) is read again:
 * how an event changes a message is decided in one place, the daemon.
 */
export class ChannelMessages {
  private view_ = EMPTY;
  private readonly watchers = new Set<() => void>();
  private drafts = new LiveDrafts();
  private leave: (() => void) | undefined;
  /** Counts the stretches: an answer that was asked for an earlier one is dropped. */
  private stretch = 0;
  /** Messages that are being read again; `true` when they have changed since. */
  private readonly refreshing = new Map<string, boolean>();
  /** What changed while pages were on their way, which may or may not know of it. */
  private readonly changedMeanwhile = new Set<string>();
  /** Drafts whose message was heard of before their end. */
  private readonly settled = new Set<string>();
  /** Own messages whose answer came before their event. */
  private readonly confirmed = new Set<string>();
  /** What was said while a page up to the end of the log was on its way, which may be from before it. */
  private saidMeanwhile: Message[] | undefined;

  constructor(
    readonly channelId: string,
    private readonly ports: ChannelMessagesPorts,
  ) {}

  get view(): ChannelView {
    return this.view_;
  }

  /** Listens while somebody watches, and for that while only. */
  readonly watch = (watcher: () => void): (() => void) => {
    this.watchers.add(watcher);
    this.leave ??= this.ports.live.listen(`channel:${this.channelId}`, (signal) =>
      this.hear(signal),
    );
    return () => {
      this.watchers.delete(watcher);
      if (this.watchers.size > 0) return;
      this.leave?.();
      this.leave = undefined;
      this.drafts = new LiveDrafts();
      this.stretch += 1;
      this.saidMeanwhile = undefined;
      // The rest is shown until the page that `ready` will ask for is there.
      this.view_ = { ...this.view_, writing: [], loading: undefined };
    };
  };

  async loadOlder(): Promise<void> {
    const { hasOlder, loading, messages, status } = this.view_;
    const [first] = messages;
    if (status !== 'ready' || !hasOlder || loading !== undefined || !first) return;
    await this.page('older', { before: first.seq });
  }

  async loadNewer(): Promise<void> {
    const { hasNewer, loading, messages, status } = this.view_;
    const last = messages.at(-1);
    if (status !== 'ready' || !hasNewer || loading !== undefined || !last) return;
    await this.page('newer', { after: last.seq });
  }

  /** Shows the end of the log, wherever it was before. */
  async showEnd(): Promise<void> {
    if (this.view_.status === 'ready' && !this.view_.hasNewer) return;
    await this.open(undefined);
  }

  /** Shows the log around a place in it. */
  async showAround(seq: number): Promise<void> {
    const { messages } = this.view_;
    if (messages.some((message) => message.seq === seq)) return;
    await this.open(seq);
  }

  post(post: PostMessage): Promise<void> {
    const { newKey, now } = this.ports;
    const pending: Pending = { key: newKey(), post, at: now(), state: 'sending' };
    this.change({ pending: [...this.view_.pending, pending] });
    if (this.view_.hasNewer) void this.showEnd();
    return this.send(pending);
  }

  retry(key: string): void {
    const found = this.view_.pending.find((pending) => pending.key === key);
    if (found) void this.send(found);
  }

  discard(key: string): void {
    this.change({ pending: this.view_.pending.filter((pending) => pending.key !== key) });
  }

  private hear(signal: LiveSignal): void {
    switch (signal.type) {
      case 'ready':
      case 'gap':
        void this.open(this.placeInThePast());
        break;
      case 'ended':
        this.change({ status: 'failed', problem: signal.problem });
        break;
      case 'item': {
        const { item } = signal;
        if (item.type === 'draft' || item.type === 'draft_ended') {
          this.drafts.take(item);
          this.settled.delete(item.runId);
          this.change({ writing: this.unsettled() });
        } else if ('seq' in item) {
          this.apply(item);
        }
        break;
      }
    }
  }

  /** Who reads what was said earlier is not taken to the end because a connection was lost. */
  private placeInThePast(): number | undefined {
    const { hasNewer, messages, status } = this.view_;
    if (status !== 'ready' || !hasNewer) return undefined;
    return messages[Math.floor(messages.length / 2)]?.seq;
  }

  private apply(event: Stamped): void {
    if (event.type === 'message_posted') this.said(saidBy(event, this.channelId));
    for (const messageId of changedBy(event)) {
      this.changedMeanwhile.add(messageId);
      void this.refresh(messageId);
    }
  }

  private said(message: Message): void {
    const isAnswered = this.confirmed.delete(message.messageId);
    if (this.saidMeanwhile) {
      this.saidMeanwhile.push(message);
      return;
    }
    for (const { runId, ...writing } of this.drafts.writing) {
      const isTheSame =
        writing.displayName === message.author.displayName &&
        writing.threadRootMessageId === message.threadRootMessageId;
      if (isTheSame) this.settled.add(runId);
    }
    const { hasNewer, messages, pending } = this.view_;
    if (hasNewer) return;
    const isMine = message.author.id === this.ports.me;
    const own = isMine && !isAnswered ? heardOf(pending, message) : undefined;
    this.change({
      messages: merged(messages, [message]),
      pending: own ? pending.filter((each) => each !== own) : pending,
      writing: this.unsettled(),
    });
  }

  private unsettled(): readonly Writing[] {
    return this.drafts.writing.filter(({ runId }) => !this.settled.has(runId));
  }

  private async send(pending: Pending): Promise<void> {
    this.mark(pending.key, { state: 'sending' });
    try {
      const message = await this.ports.client.messages.post(this.channelId, pending.post, {
        idempotencyKey: pending.key,
      });
      if (!this.view_.messages.some(({ messageId }) => messageId === message.messageId)) {
        this.confirmed.add(message.messageId);
      }
      const { hasNewer, messages } = this.view_;
      this.change({
        messages: hasNewer ? messages : merged(messages, [message]),
        pending: this.view_.pending.filter(({ key }) => key !== pending.key),
      });
    } catch (error) {
      const { code, detail } = error as StoaProblem;
      const isPassing = code === 'daemon_unreachable' || code === 'shutting_down';
      // The one that was heard of may have been another of the same words.
      if (!this.view_.pending.some(({ key }) => key === pending.key)) {
        this.change({ pending: [...this.view_.pending, pending] });
      }
      this.mark(
        pending.key,
        isPassing ? { state: 'waiting' } : { state: 'failed', reason: detail },
      );
    }
  }

  /** To be called when there is a connection again. */
  sendWaiting(): void {
    for (const pending of this.view_.pending) {
      if (pending.state === 'waiting') void this.send(pending);
    }
  }

  private mark(key: string, change: Pick<Pending, 'state' | 'reason'>): void {
    this.change({
      pending: this.view_.pending.map(({ reason: _, ...each }) =>
        each.key === key ? { ...each, ...change } : each,
      ),
    });
  }

  private async open(seq: number | undefined): Promise<void> {
    this.stretch += 1;
    const { stretch } = this;
    this.changedMeanwhile.clear();
    this.saidMeanwhile = [];
    try {
      const [before, after] = await this.around(seq);
      if (stretch !== this.stretch) return;
      const hasNewer = after?.hasMore ?? false;
      this.change({
        status: 'ready',
        problem: undefined,
        messages: merged(
          [...before.messages, ...(after?.messages ?? [])],
          hasNewer ? [] : this.saidMeanwhile,
        ),
        hasOlder: before.hasMore,
        hasNewer,
        loading: undefined,
      });
      this.saidMeanwhile = undefined;
      this.refreshChanged();
    } catch (error) {
      if (stretch === this.stretch) this.fail(error);
    }
  }

  private async around(seq: number | undefined) {
    const { messages } = this.ports.client;
    if (seq === undefined) return [await messages.list(this.channelId, { limit: PAGE })] as const;
    return Promise.all([
      messages.list(this.channelId, { before: seq + 1, limit: PAGE }),
      messages.list(this.channelId, { after: seq, limit: PAGE }),
    ]);
  }

  private async page(
    loading: 'older' | 'newer',
    position: { readonly before: number } | { readonly after: number },
  ): Promise<void> {
    const { stretch } = this;
    if (loading === 'newer') this.saidMeanwhile = [];
    this.change({ loading });
    try {
      const page = await this.ports.client.messages.list(this.channelId, {
        ...position,
        limit: PAGE,
      });
      if (stretch !== this.stretch) return;
      const meanwhile = loading === 'newer' && !page.hasMore ? (this.saidMeanwhile ?? []) : [];
      this.change({
        messages: merged(merged(this.view_.messages, page.messages), meanwhile),
        ...(loading === 'older' ? { hasOlder: page.hasMore } : { hasNewer: page.hasMore }),
      });
      this.refreshChanged();
    } catch {
      // What was to be read is still to be read: the next scroll asks for it again.
    }
    if (stretch !== this.stretch) return;
    if (loading === 'newer') this.saidMeanwhile = undefined;
    this.change({ loading: undefined });
  }

  private refreshChanged(): void {
    for (const messageId of this.changedMeanwhile) void this.refresh(messageId);
    this.changedMeanwhile.clear();
  }

  /** Reads one message again, and once more if it changed while it was read. */
  private async refresh(messageId: string): Promise<void> {
    if (this.refreshing.has(messageId)) {
      this.refreshing.set(messageId, true);
      return;
    }
    if (!this.view_.messages.some((message) => message.messageId === messageId)) return;
    this.refreshing.set(messageId, false);
    try {
      const message = await this.ports.client.messages.get(this.channelId, messageId);
      this.change({ messages: replaced(this.view_.messages, message) });
    } catch {
      // It is gone, or the connection is: then all is read anew.
    }
    const hasChangedAgain = this.refreshing.get(messageId) === true;
    this.refreshing.delete(messageId);
    if (hasChangedAgain) await this.refresh(messageId);
  }

  private fail(error: unknown): void {
    const problem = error instanceof StoaProblem ? error : undefined;
    this.saidMeanwhile = undefined;
    this.change({ status: 'failed', problem });
  }

  private change(change: Partial<ChannelView>): void {
    this.view_ = { ...this.view_, ...change };
    for (const watcher of [...this.watchers]) watcher();
  }
}
