import { type Client, LiveDrafts, StoaProblem, type Writing } from '@stoa/client';
import type { Message, PostMessage, Stamped } from '@stoa/protocol';
import { type ChannelView, EMPTY, leftBehind } from './channel-view.js';
import { isTemporary } from './failures.js';
import type { LiveHub, LiveSignal } from './live-hub.js';
import { changedBy, merged, messageOf, replaced } from './message-list.js';
import { confirmedBy, conversationKey, type Pending } from './pending.js';
import { ReadAgain } from './read-again.js';
import type { SendQueue } from './send-queue.js';
import { Watched } from './watched.js';

export interface ChannelMessagesPorts {
  readonly client: { readonly messages: Pick<Client['messages'], 'list' | 'get'> };
  readonly live: Pick<LiveHub, 'listen'>;
  readonly sendQueue: Pick<SendQueue, 'of' | 'listen' | 'post' | 'hide'>;
  readonly me: string;
  /** A while, after which what failed is tried again. */
  readonly rest: () => Promise<void>;
}

const PAGE = 50;

/**
 * The messages of one channel: pages of its log and live events, in order and each once.
 *
 * What is new comes with its event. What has changed (edits, reactions, counts of replies) is read again:
 * only the daemon decides how an event changes a message.
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
  /** Drafts whose message arrived before their end. */
  private readonly settled = new Set<string>();
  /** Own messages whose answer came before their event. */
  private readonly confirmed = new Set<string>();
  /** Messages posted while a page up to the end of the log was loading; the page may not contain them. */
  private postedMeanwhile: Message[] | undefined;
  private readonly conversation: string;

  constructor(
    readonly channelId: string,
    private readonly ports: ChannelMessagesPorts,
    private readonly rootId?: string,
  ) {
    super(EMPTY);
    this.conversation = conversationKey(channelId, rootId);
    this.again = new ReadAgain({
      has: (messageId) => this.view.messages.some((message) => message.messageId === messageId),
      get: (messageId) => ports.client.messages.get(channelId, messageId),
      take: (message) => this.change({ messages: replaced(this.view.messages, message) }),
    });
  }

  protected listen(): () => void {
    const { live, sendQueue } = this.ports;
    this.change({ pending: sendQueue.of(this.conversation) });
    const ends = [
      sendQueue.listen(this.conversation, (signal) => {
        if (signal.type === 'sent') this.sent(signal.message);
        else this.change({ pending: sendQueue.of(this.conversation) });
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
      this.postedMeanwhile = undefined;
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

  /** Shows the log around a position; if nobody watches yet, as soon as somebody does. */
  async showAround(seq: number): Promise<void> {
    if (this.isFresh && this.view.messages.some((message) => message.seq === seq)) return;
    if (this.isWatched) await this.open(seq);
    else this.sought = seq;
  }

  post(post: PostMessage): void {
    const { rootId } = this;
    const reply = rootId === undefined ? post : { ...post, threadRootMessageId: rootId };
    this.ports.sendQueue.post(this.channelId, reply);
    if (this.view.hasNewer) void this.showEnd();
  }

  /** To be called while there is a connection: reads what could not be read. */
  recover(): void {
    this.again.readMissed();
    if (this.isStale && this.isWatched) void this.open(this.positionInThePast());
  }

  private hear(signal: LiveSignal): void {
    switch (signal.type) {
      case 'ready':
      case 'gap':
        void this.open(this.positionInThePast());
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
    this.postedMeanwhile = undefined;
    this.change({ ...(isGone ? EMPTY : {}), status: 'failed', problem });
  }

  /** A lost connection does not move a reader of earlier messages to the end. */
  private positionInThePast(): number | undefined {
    const { hasNewer, messages, status } = this.view;
    if (this.sought !== undefined) return this.sought;
    if (status !== 'ready' || !hasNewer) return undefined;
    return messages[Math.floor(messages.length / 2)]?.seq;
  }

  private apply(event: Stamped): void {
    if (event.type === 'message_posted') this.posted(messageOf(event, this.channelId));
    for (const messageId of changedBy(event)) {
      if (this.reading > 0) this.changedMeanwhile.add(messageId);
      void this.again.read(messageId);
    }
  }

  private posted(message: Message): void {
    const isAnswered = this.confirmed.delete(message.messageId);
    if (this.postedMeanwhile) {
      this.postedMeanwhile.push(message);
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
    const own = isMine && !isAnswered && !isShown ? confirmedBy(pending, message) : undefined;
    if (own) this.ports.sendQueue.hide(own);
    this.change({
      messages: merged(messages, [message]),
      pending: this.ports.sendQueue.of(this.conversation),
      writing: this.unsettled(),
    });
  }

  /** Hides own messages that were read before the daemon confirmed them. Returns those still pending. */
  private hideRead(read: readonly Message[]): readonly Pending[] {
    const { sendQueue, me } = this.ports;
    for (const message of read) {
      if (message.author.id !== me) continue;
      const earlier = sendQueue.of(this.conversation).filter(({ at }) => at <= message.createdAt);
      const own = confirmedBy(earlier, message);
      if (own) sendQueue.hide(own);
    }
    return sendQueue.of(this.conversation);
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
    this.postedMeanwhile = [];
    this.reading += 1;
    try {
      const [before, after] = await readAround(this.ports.client, this.channelId, seq, PAGE);
      if (stretch !== this.stretch) return;
      const hasNewer = after?.hasMore ?? false;
      this.isFresh = true;
      this.sought = undefined;
      const read = merged(
        [...before.messages, ...(after?.messages ?? [])],
        hasNewer ? [] : this.postedMeanwhile,
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
      this.postedMeanwhile = undefined;
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
    if (loading === 'newer') this.postedMeanwhile = [];
    this.change({ loading });
    this.reading += 1;
    try {
      const page = await this.ports.client.messages.list(this.channelId, {
        ...position,
        limit: PAGE,
      });
      if (stretch !== this.stretch) return;
      const meanwhile = loading === 'newer' && !page.hasMore ? (this.postedMeanwhile ?? []) : [];
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
    if (loading === 'newer') this.postedMeanwhile = undefined;
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
    this.postedMeanwhile = undefined;
    this.isStale = isTemporary(error);
    const { messages, status } = this.view;
    const isShown = this.isStale && status === 'ready' && messages.length > 0;
    const problem = error instanceof StoaProblem ? error : undefined;
    this.change({ loading: undefined, ...(isShown ? {} : { status: 'failed', problem }) });
  }
}

/** The pages before and after a position in the log of a channel; at its end only the one before. */
async function readAround(
  { messages }: { readonly messages: Pick<Client['messages'], 'list'> },
  channelId: string,
  seq: number | undefined,
  limit: number,
) {
  if (seq === undefined) return [await messages.list(channelId, { limit })] as const;
  return Promise.all([
    messages.list(channelId, { before: seq + 1, limit }),
    messages.list(channelId, { after: seq, limit }),
  ]);
}
