import type { StreamFrame } from '@stoa/protocol';
import { STREAM_FRAME_TYPES } from '@stoa/protocol/constants';
import { type Backoff, backoffMs } from '../backoff.js';
import type { StoaProblem } from '../problem.js';
import type { FollowItem, FollowNotice } from './follow-item.js';
import { ItemQueue } from './item-queue.js';
import type { Socket, SocketHandlers } from './socket.js';
import { type StreamEffect, type StreamInput, StreamMachine } from './stream-machine.js';

const RECONNECT: Backoff = { firstMs: 250, longestMs: 10_000 };

export interface FollowOptions<Drafts extends boolean = boolean> {
  /** The last sequence already seen; 0 for everything. Absent: from now. */
  readonly after?: number | undefined;
  /** Whether to include the drafts of agents in a channel, as `draft` and `draft_ended`. */
  readonly drafts?: Drafts | undefined;
  /** Aborting ends the iteration, without an error. */
  readonly signal?: AbortSignal | undefined;
  readonly onNotice?: ((notice: FollowNotice) => void) | undefined;
}

/** Like `OpenSocket`, with the credential. */
export type OpenStream = (url: string, handlers: SocketHandlers) => Socket;

export interface StreamPorts {
  readonly url: string;
  readonly openSocket: OpenStream;
  readonly random: () => number;
  /** Asks by HTTP why a socket did not open, which browsers do not report. */
  readonly probe: () => Promise<StoaProblem | undefined>;
}

interface Follower {
  readonly queue: ItemQueue<FollowItem>;
  readonly drafts: boolean;
  readonly onNotice: (notice: FollowNotice) => void;
}

/** Carries out the decisions of the machine: one socket, one timer, one queue per topic. */
export class Stream {
  private readonly machine = new StreamMachine();
  private readonly followers = new Map<string, Follower>();
  private socket: Socket | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly ports: StreamPorts) {}

  get size(): number {
    return this.followers.size;
  }

  carries(topic: string): boolean {
    return this.followers.has(topic);
  }

  follow(topic: string, options: FollowOptions): AsyncIterableIterator<FollowItem, undefined> {
    const queue = new ItemQueue<FollowItem>({
      hold: () => this.apply({ type: 'hold', topic }),
      release: () => this.apply({ type: 'release', topic }),
      left: () => this.leave(topic),
    });
    if (options.signal?.aborted) {
      queue.end();
      return queue;
    }
    const { onNotice = () => undefined, drafts = false } = options;
    this.followers.set(topic, { queue, onNotice, drafts });
    options.signal?.addEventListener('abort', () => void queue.return(), { once: true });
    this.apply({ type: 'follow', topic, after: options.after });
    return queue;
  }

  close(): void {
    for (const { queue } of [...this.followers.values()]) void queue.return();
  }

  private leave(topic: string): void {
    if (this.followers.delete(topic)) this.apply({ type: 'unfollow', topic });
  }

  private apply(input: StreamInput): void {
    for (const effect of this.machine.handle(input)) this.perform(effect);
  }

  private perform(effect: StreamEffect): void {
    switch (effect.type) {
      case 'open':
        this.open();
        break;
      case 'close':
        this.socket?.close();
        this.socket = undefined;
        break;
      case 'send':
        this.socket?.send(JSON.stringify(effect.request));
        break;
      case 'wait':
        this.wait(effect);
        break;
      case 'stop_waiting':
        clearTimeout(this.timer);
        break;
      case 'deliver':
        this.deliver(effect);
        break;
      case 'following':
        this.followers
          .get(effect.topic)
          ?.onNotice({ type: 'following', after: effect.after, head: effect.head });
        break;
      case 'end': {
        const follower = this.followers.get(effect.topic);
        this.followers.delete(effect.topic);
        follower?.queue.fail(effect.problem);
        break;
      }
    }
  }

  private deliver({ topic, item }: Extract<StreamEffect, { type: 'deliver' }>): void {
    const follower = this.followers.get(topic);
    const isOfDraft = item.type === 'draft' || item.type === 'draft_ended';
    if (follower && (follower.drafts || !isOfDraft)) follower.queue.push(item);
  }

  private wait({ attempt, reason }: Extract<StreamEffect, { type: 'wait' }>): void {
    const inMs = backoffMs(RECONNECT, attempt, this.ports.random());
    this.timer = setTimeout(() => this.apply({ type: 'retry' }), inMs);
    for (const { onNotice } of this.followers.values()) {
      onNotice({ type: 'reconnecting', reason, inMs });
    }
  }

  private open(): void {
    let opened = false;
    const current = (): boolean => this.socket === socket;
    const socket = this.ports.openSocket(this.ports.url, {
      opened: () => {
        opened = true;
        if (current()) this.apply({ type: 'opened' });
      },
      received: (text) => {
        if (!current()) return;
        const frame = parseFrame(text);
        if (frame) this.apply({ type: 'frame', frame });
      },
      closed: (refusal) => {
        if (!current()) return;
        if (opened || refusal) this.closed(refusal);
        else void this.ports.probe().then((found) => current() && this.closed(found));
      },
    });
    this.socket = socket;
  }

  private closed(refusal: StoaProblem | undefined): void {
    this.socket = undefined;
    this.apply({ type: 'closed', refusal });
  }
}

const FRAME_TYPES: ReadonlySet<unknown> = new Set(STREAM_FRAME_TYPES);

/** Ignores frames of a later version; the daemon's own always parse. */
function parseFrame(text: string): StreamFrame | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isFrame =
      typeof value === 'object' && value !== null && 'type' in value && FRAME_TYPES.has(value.type);
    return isFrame ? (value as StreamFrame) : undefined;
  } catch {
    return undefined;
  }
}
