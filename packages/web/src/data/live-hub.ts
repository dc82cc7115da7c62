import {
  type Client,
  type FollowItem,
  type FollowNotice,
  LiveDrafts,
  type StoaProblem,
} from '@stoa/client';
import { WritingText } from './writing-text.js';

/**
 * Every topic that somebody on the page listens to, each followed once, over one connection.
 *
 * A listener first receives `ready`: from then on it misses nothing, so what it reads over HTTP after that
 * is complete together with the events it receives. Reading before listening would lose the events in between.
 * `gap` means that events are gone and what was read must be read again; `ended` that nothing will come.
 */
export type LiveSignal =
  | { readonly type: 'ready' }
  | { readonly type: 'item'; readonly item: FollowItem }
  | { readonly type: 'gap' }
  | { readonly type: 'ended'; readonly problem: StoaProblem | undefined };

export type LiveListener = (signal: LiveSignal) => void;

/** `refused`: the login has ended; nothing more will come until there is a new one. */
export type Connection = 'connecting' | 'live' | 'reconnecting' | 'refused';

interface Followed {
  readonly listeners: Set<LiveListener>;
  readonly stop: AbortController;
  /** What is being written, for who comes in the middle of it. */
  readonly drafts: LiveDrafts;
  readonly text: WritingText;
  ready: boolean;
}

export class LiveHub {
  private readonly topics = new Map<string, Followed>();
  private readonly watchers = new Set<() => void>();
  private connection_: Connection = 'connecting';

  constructor(private readonly client: Pick<Client, 'follow'>) {}

  get connection(): Connection {
    return this.connection_;
  }

  readonly watchConnection = (watcher: () => void): (() => void) => {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  };

  untilLive(): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (this.connection_ !== 'live') return;
        this.watchers.delete(look);
        resolve();
      };
      this.watchers.add(look);
      look();
    });
  }

  listen(topic: string, listener: LiveListener): () => void {
    let followed = this.topics.get(topic);
    if (!followed) {
      followed = {
        listeners: new Set(),
        stop: new AbortController(),
        drafts: new LiveDrafts(),
        text: new WritingText(),
        ready: false,
      };
      this.topics.set(topic, followed);
      void this.follow(topic, followed);
    }
    const { listeners, stop, drafts, text, ready } = followed;
    listeners.add(listener);
    if (ready) listener({ type: 'ready' });
    for (const writing of drafts.writing) {
      listener({ type: 'item', item: { type: 'draft', topic, offset: 0, ...writing } });
    }
    if (text.writing) {
      const item = { type: 'text_chunk', topic, offset: 0, ...text.writing } as const;
      listener({ type: 'item', item });
    }
    return () => {
      listeners.delete(listener);
      if (listeners.size > 0) return;
      stop.abort();
      if (this.topics.get(topic)?.listeners === listeners) this.topics.delete(topic);
    };
  }

  private async follow(topic: string, followed: Followed): Promise<void> {
    const tell = (signal: LiveSignal): void => {
      for (const listener of [...followed.listeners]) listener(signal);
    };
    const onNotice = (notice: FollowNotice): void => {
      this.connect(notice.type === 'following' ? 'live' : 'reconnecting');
      if (notice.type !== 'following' || followed.ready) return;
      followed.ready = true;
      tell({ type: 'ready' });
    };
    let problem: StoaProblem | undefined;
    try {
      const { signal } = followed.stop;
      for await (const item of this.client.follow(topic, { drafts: true, signal, onNotice })) {
        if (item.type === 'draft' || item.type === 'draft_ended') followed.drafts.take(item);
        else followed.text.take(item);
        tell(item.type === 'gap' ? { type: 'gap' } : { type: 'item', item });
      }
    } catch (error) {
      problem = error as StoaProblem;
    }
    if (this.topics.get(topic) === followed) this.topics.delete(topic);
    if (followed.stop.signal.aborted) return;
    if (problem?.code === 'unauthenticated') this.connect('refused');
    tell({ type: 'ended', problem });
  }

  private connect(connection: Connection): void {
    if (this.connection_ === connection || this.connection_ === 'refused') return;
    this.connection_ = connection;
    for (const watcher of [...this.watchers]) watcher();
  }
}
