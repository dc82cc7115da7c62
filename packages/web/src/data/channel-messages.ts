import { type Client, LiveDrafts, StoaProblem, type Writing } from '@stoa/client';
import type { Message, PostMessage, Stamped } from '@stoa/protocol';
import { type ChannelView, EMPTY, leftBehind } from './channel-view.js';
import type { LiveHub, LiveSignal } from './live-hub.js';
import { changedBy, merged, replaced, saidBy } from './message-list.js';
import type { Outbox } from './outbox.js';
import { isPassing } from './passing.js';
import { heardOf, type Pending, placeName } from './pending.js';
import { ReadAgain } from './read-again.js';
import { readAround } from './read-around.js';
import { Watched } from './watched.js';

export interface ChannelMessagesPorts {
  readonly client: { readonly messages: Pick<Client['messages'], 'list' | 'get'> };
  readonly live: Pick<LiveHub, 'listen'>;
  readonly outbox: Pick<Outbox, 'of' | 'listen' | 'post' | 'hide'>;
  readonly me: string;
  /** A while, after which what failed is tried again. */
  readonly rest: () => Promise<void>;
}

const PAGE = 50;

/**
 * The messages of one channel: pages of its log, and what is heard of it, in order and each once.
 *
 * What is new comes with its event. What has changed (edits, reactions, counts of replies) is read again:
 * how an event changes a message is decided in one place, the daemon.
 */
export class ChannelMessages extends Watched<ChannelView> {
  private drafts = new LiveDrafts();
  /** Counts the stretches: an answer that was asked for an earlier one is dropped. */
  private stretch = 0;
  /** Whether another stretch is on its way: a page of this one would make a hole in that. */
  private isOpening = false;
  /** Whether what is shown could not be read, and may be read later. */
  private isStale = false;
  /** Whether it was read since somebody watches. */
  private isFresh = false;
  /** Where somebody wants to be, until it is read. */
  private sought: number | undefined;
  private readonly again: ReadAgain;
  /** How many pages are on their way, and what changed meanwhile: they may or may not know of it. */
  private reading = 0;
  private readonly changedMeanwhile = new Set<string>();
  /** Drafts whose message was heard of before their end. */
  private readonly settled = new Set<string>();
  /** Own messages whose answer came before their event. */
  private readonly confirmed = new Set<string>();
  /** What was said while a page up to the end of the log was on its way, which may be from before it. */
  private saidMeanwhile: Message[] | undefined;
  private readonly place: string;

  constructor(
    readonly channelId: string,
    private readonly ports: ChannelMessagesPorts,
    private readonly rootId?: string,
  ) {
    super(EMPTY);
    this.place = placeName(channelId, rootId);
    this.again = new ReadAgain({
      has: (messageId) => this.view.messages.some((message) => message.messageId === messageId),
      get: (messageId) => ports.client.messages.get(channelId, messageId),
      take: (message) => this.change({ messages: replaced(this.view.messages, message) }),
    });
  }

  protected listen(): () => void {
    const { live, outbox } = this.ports;
    this.change({ pending: outbox.of(this.place) });
    const ends = [
      outbox.listen(this.place, (signal) => {
        if (signal.type === 'sent') this.sent(signal.message);
        else this.change({ pending: outbox.of(this.place) });
      }),
      live.listen(`channel:${this.channelId}`, (signal) => this.hear(signal)),
    ];
    return () => {
      for (const end of ends) end();
      this.drafts = new LiveDrafts();
      this.stretch += 1;
      this.isOpening = false;
      this.isFresh = false;
      this.sought = undefined;
      this.saidMeanwhile = undefined;
      this.change(leftBehind(this.view, PAGE));
    };
  }

  async loadOlder(): Promise<void> {
    const { hasOlder, loading, messages, status } = this.view;
    const [first] = messages;
    if (status !== 'ready' || !hasOlder || loading !== undefined || !first || this.isOpening)
      return;
    await this.page('older', { before: first.seq });
  }

  async loadNewer(): Promise<void> {
    const { hasNewer, loading, messages, status } = this.view;
    const last = messages.at(-1);
    if (status !== 'ready' || !hasNewer || loading !== undefined || !last || this.isOpening) return;
    await this.page('newer', { after: last.seq });
  }

  /** Shows the end of the log, wherever it was before. */
  async showEnd(): Promise<void> {
    if (this.view.status === 'ready' && !this.view.hasNewer) return;
    await this.open(undefined);
  }

  /** Shows the log around a place in it; to who does not watch yet, as soon as they do. */
  async showAround(seq: number): Promise<void> {
    if (this.isFresh && this.view.messages.some((message) => message.seq === seq)) return;
    if (this.isWatched) await this.open(seq);
    else this.sought = seq;
  }

  post(post: PostMessage): void {
    const { rootId } = this;
    const said = rootId === undefined ? post : { ...post, threadRootMessageId: rootId };
    this.ports.outbox.post(this.channelId, said);
    if (this.view.hasNewer) void this.showEnd();
  }

  /** To be called while there is a connection: reads what could not be read. */
  recover(): void {
    this.again.readMissed();
    if (this.isStale && this.isWatched) void this.open(this.placeInThePast());
  }

  private hear(signal: LiveSignal): void {
    switch (signal.type) {
      case 'ready':
      case 'gap':
        void this.open(this.placeInThePast());
        break;
      case 'ended':
        this.end(signal.problem);
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

  private end(problem: StoaProblem | undefined): void {
    // What was deleted is not shown any longer to who happens to have it on the screen.
    const isGone = problem?.status === 404;
    this.stretch += 1;
    this.isOpening = false;
    this.saidMeanwhile = undefined;
    this.change({ ...(isGone ? EMPTY : {}), status: 'failed', problem });
  }

  /** Who reads what was said earlier is not taken to the end because a connection was lost. */
  private placeInThePast(): number | undefined {
    const { hasNewer, messages, status } = this.view;
    if (this.sought !== undefined) return this.sought;
    if (status !== 'ready' || !hasNewer) return undefined;
    return messages[Math.floor(messages.length / 2)]?.seq;
  }

  private apply(event: Stamped): void {
    if (event.type === 'message_posted') this.said(saidBy(event, this.channelId));
    for (const messageId of changedBy(event)) {
      if (this.reading > 0) this.changedMeanwhile.add(messageId);
      void this.again.read(messageId);
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
    const { hasNewer, messages, pending } = this.view;
    if (hasNewer) return;
    const isMine = message.author.id === this.ports.me;
    const isShown = messages.some(({ messageId }) => messageId === message.messageId);
    const own = isMine && !isAnswered && !isShown ? heardOf(pending, message) : undefined;
    if (own) this.ports.outbox.hide(own);
    this.change({
      messages: merged(messages, [message]),
      pending: this.ports.outbox.of(this.place),
      writing: this.unsettled(),
    });
  }

  /** Hides own messages that were read before the daemon confirmed them. Returns those still pending. */
  private hideRead(read: readonly Message[]): readonly Pending[] {
    const { outbox, me } = this.ports;
    for (const message of read) {
      if (message.author.id !== me) continue;
      const earlier = outbox.of(this.place).filter(({ at }) => at <= message.createdAt);
      const own = heardOf(earlier, message);
      if (own) outbox.hide(own);
    }
    return outbox.of(this.place);
  }

  private sent(message: Message): void {
    const { hasNewer, messages } = this.view;
    if (!messages.some(({ messageId }) => messageId === message.messageId)) {
      this.confirmed.add(message.messageId);
    }
    if (!hasNewer) this.change({ messages: merged(messages, [message]) });
  }

  private unsettled(): readonly Writing[] {
    return this.drafts.writing.filter(({ runId }) => !this.settled.has(runId));
  }

  private async open(seq: number | undefined): Promise<void> {
    this.stretch += 1;
    const { stretch } = this;
    this.sought = seq;
    this.isStale = false;
    this.isOpening = true;
    this.saidMeanwhile = [];
    this.reading += 1;
    try {
      const [before, after] = await readAround(this.ports.client, this.channelId, seq, PAGE);
      if (stretch !== this.stretch) return;
      const hasNewer = after?.hasMore ?? false;
      this.isFresh = true;
      this.sought = undefined;
      const read = merged(
        [...before.messages, ...(after?.messages ?? [])],
        hasNewer ? [] : this.saidMeanwhile,
      );
      this.change({
        status: 'ready',
        problem: undefined,
        messages: read,
        pending: this.hideRead(read),
        hasOlder: before.hasMore,
        hasNewer,
        loading: undefined,
      });
      this.saidMeanwhile = undefined;
      this.refreshChanged();
    } catch (error) {
      if (stretch === this.stretch) this.fail(error);
    } finally {
      if (stretch === this.stretch) this.isOpening = false;
      this.readingEnded();
    }
  }

  private async page(
    loading: 'older' | 'newer',
    position: { readonly before: number } | { readonly after: number },
  ): Promise<void> {
    const { stretch } = this;
    if (loading === 'newer') this.saidMeanwhile = [];
    this.change({ loading });
    this.reading += 1;
    try {
      const page = await this.ports.client.messages.list(this.channelId, {
        ...position,
        limit: PAGE,
      });
      if (stretch !== this.stretch) return;
      const meanwhile = loading === 'newer' && !page.hasMore ? (this.saidMeanwhile ?? []) : [];
      const read = merged(page.messages, meanwhile);
      this.change({
        messages: merged(this.view.messages, read),
        ...(loading === 'newer' ? { pending: this.hideRead(read) } : {}),
        ...(loading === 'older' ? { hasOlder: page.hasMore } : { hasNewer: page.hasMore }),
      });
      this.refreshChanged();
    } catch {
      // It is still to be read, but not at once: who is refused would ask without end.
      await this.ports.rest();
    } finally {
      this.readingEnded();
    }
    if (stretch !== this.stretch) return;
    if (loading === 'newer') this.saidMeanwhile = undefined;
    this.change({ loading: undefined });
  }

  private refreshChanged(): void {
    for (const messageId of this.changedMeanwhile) void this.again.read(messageId);
  }

  private readingEnded(): void {
    this.reading -= 1;
    if (this.reading === 0) this.changedMeanwhile.clear();
  }

  /** What is there already stays, and is brought up to date when the daemon is back. */
  private fail(error: unknown): void {
    this.saidMeanwhile = undefined;
    this.isStale = isPassing(error);
    const { messages, status } = this.view;
    const isShown = this.isStale && status === 'ready' && messages.length > 0;
    const problem = error instanceof StoaProblem ? error : undefined;
    this.change({ loading: undefined, ...(isShown ? {} : { status: 'failed', problem }) });
  }
}
