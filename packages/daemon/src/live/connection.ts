import {
  type Core,
  type CutOffReason,
  type Ephemeral,
  type LogEntry,
  type Presented,
  READER_LIMIT_BYTES,
  type Reader,
  type Subscription,
} from '@stoa/core';
import { humanTopic, LIMITS, type Principal, StoaError, type StreamFrame } from '@stoa/protocol';

/** How frames are sent: a WebSocket or an event stream. Never blocks or throws. */
export interface Outlet {
  event(entry: LogEntry, encoded: string): void;
  frame(frame: StreamFrame): void;
  pendingBytes(): number;
  drained(): Promise<void>;
  close(): void;
}

export type GapReason = Extract<StreamFrame, { type: 'gap' }>['reason'];
export type CloseReason = Extract<StreamFrame, { type: 'closing' }>['reason'];

/** One client and its topics; ends with its credential, with the daemon, or when it is too slow. */
export class Connection implements Reader {
  readonly #subscriptions = new Map<string, Subscription>();
  #revocations: Subscription | undefined;
  #ended = false;

  constructor(
    private readonly core: Core,
    private readonly principal: Principal,
    private readonly outlet: Outlet,
    private readonly onEnd: () => void,
  ) {}

  /** Follows the revocation of its credential, then checks that it was not revoked before. */
  async guardCredential(presented: Presented): Promise<void> {
    const { principal } = this;
    if (principal.kind !== 'human') return;
    const watcher: Reader = {
      event: (entry) => {
        if (entry.type !== 'credential_revoked') return;
        if (entry.body.includes(`"${principal.credentialId}"`)) this.end('revoked');
      },
      gap: () => undefined,
      chunk: () => undefined,
      // It must not continue without notice of revocations.
      cutOff: () => {
        this.end('unavailable');
      },
      pendingBytes: () => 0,
      drained: () => Promise.resolve(),
    };
    this.#revocations = await this.core.hub.follow(watcher, humanTopic(principal.id), undefined);
    this.#revocations?.begin();
    if (this.#ended) this.#revocations?.end();
    else if (!(await this.core.credentials.authenticate(presented))) this.end('revoked');
  }

  async subscribe(topic: string, after: number | undefined): Promise<void> {
    await this.core.assertMayFollow(this.principal, topic);
    if (this.#ended) return;
    if (this.#subscriptions.size >= LIMITS.topicsPerStream && !this.#subscriptions.has(topic)) {
      throw new StoaError(
        'limit_reached',
        `A stream follows at most ${String(LIMITS.topicsPerStream)} topics`,
      );
    }
    if (!(await this.keptUp())) return;
    const subscription = await this.core.hub.follow(this, topic, after);
    if (!subscription) throw new StoaError('topic_not_found', `There is no topic ${topic}`);
    if (this.#hasEnded()) {
      subscription.end();
      return;
    }
    this.#subscriptions.get(topic)?.end();
    this.#subscriptions.set(topic, subscription);
    const { head, oldest, position } = subscription;
    this.outlet.frame({ type: 'subscribed', topic, after: position, head, oldest });
    subscription.begin();
  }

  /**
   * Waits until the client has received most of the frames; returns false when it has ended. Topics are replayed one
   * after the other; otherwise a hundred replays would be buffered at once.
   */
  async keptUp(): Promise<boolean> {
    if (this.pendingBytes() > READER_LIMIT_BYTES / 2) {
      await this.drained().catch(() => {
        this.cutOff('slow_reader');
      });
    }
    return !this.#ended;
  }

  say(frame: StreamFrame): void {
    if (!this.#ended) this.outlet.frame(frame);
  }

  unsubscribe(topic: string): void {
    this.#subscriptions.get(topic)?.end();
    this.#subscriptions.delete(topic);
    this.outlet.frame({ type: 'unsubscribed', topic });
  }

  /** A method, because the answer may change during a wait. */
  #hasEnded(): boolean {
    return this.#ended;
  }

  event(entry: LogEntry, encoded: string): void {
    this.outlet.event(entry, encoded);
  }

  chunk(chunk: Ephemeral): void {
    this.outlet.frame(chunk);
  }

  gap(topic: string, after: number, oldest: number, reason: GapReason): void {
    this.outlet.frame({ type: 'gap', topic, after, oldest, reason });
  }

  cutOff(reason: CutOffReason): void {
    this.end(reason);
  }

  pendingBytes(): number {
    return this.outlet.pendingBytes();
  }

  drained(): Promise<void> {
    return this.outlet.drained();
  }

  /** Sends the reason and closes. Idempotent. */
  end(reason?: CloseReason): void {
    if (this.#ended) return;
    this.#ended = true;
    for (const subscription of this.#subscriptions.values()) subscription.end();
    this.#revocations?.end();
    if (reason) this.outlet.frame({ type: 'closing', reason });
    this.outlet.close();
    this.onEnd();
  }
}
