import { Agent } from 'node:http';
import { type Caller, callerOf } from '../daemon/caller.js';
import type { TestDaemon } from '../daemon/start-daemon.js';
import { LiveSocket } from '../live/live-socket.js';
import type { SeededRandom } from '../virtual/random.js';
import type { Acknowledged, Logged, Oracle, Post } from './oracle.js';

const CLIENTS = 6;

/** Several clients that post and one that follows, until their daemon is gone. */
export class Load {
  /** Sent, with an unknown outcome. */
  readonly #unknown: Post[] = [];
  #made = 0;

  constructor(
    private readonly channels: readonly string[],
    private readonly oracle: Oracle,
    private readonly random: SeededRandom,
  ) {}

  /**
   * Resolves when everybody has noticed that the daemon is gone; `gone` is what ends it, and is given
   * when the first post of this run is answered.
   */
  async run(daemon: TestDaemon, gone: (answered: Promise<void>) => Promise<void>): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
    const caller = callerOf(daemon.url, daemon.token, agent);
    const reader = await LiveSocket.open(daemon.url, { token: daemon.token });
    for (const channelId of this.channels) {
      const after = this.oracle.lastReceived(channelId);
      reader.say({ type: 'subscribe', topic: `channel:${channelId}`, after });
    }
    let isOver = false;
    let tellAnswered = (): void => undefined;
    const answered = new Promise<void>((resolve) => {
      tellAnswered = resolve;
    });
    const clients = Promise.all(
      Array.from({ length: CLIENTS }, async () => {
        while (!isOver) {
          await this.#post(caller, this.#next());
          tellAnswered();
        }
      }),
    );
    // What a client throws is thrown below, when the daemon is gone.
    clients.catch(() => undefined);
    await gone(answered);
    isOver = true;
    await clients;
    await reader.ended();
    agent.destroy();
    this.#takeOver(reader);
  }

  /** Every outcome becomes known. */
  async settle(daemon: TestDaemon): Promise<void> {
    const caller = callerOf(daemon.url, daemon.token);
    for (let post = this.#unknown.shift(); post; post = this.#unknown.shift()) {
      await this.#post(caller, post);
    }
  }

  #takeOver(reader: LiveSocket): void {
    for (const gap of reader.framesOf('gap')) throw new Error(`a gap: ${JSON.stringify(gap)}`);
    for (const { topic, seq, type, data } of reader.events()) {
      this.oracle.receive(topic.slice('channel:'.length), { seq, type, data } as Logged);
    }
  }

  /** Unknown outcomes first, with the key they had; now and then one that is known. */
  #next(): Post {
    const { random } = this;
    const again = this.#unknown.shift();
    if (again) return again;
    const known = this.oracle.acknowledged;
    if (known.length > 0 && random.chance(0.05)) return random.pick(known).post;
    this.#made += 1;
    const name = `message ${String(this.#made)}`;
    return {
      key: name.replace(' ', '-'),
      channelId: random.pick(this.channels),
      text: name,
      asset: random.chance(0.1) ? `asset of ${name}` : undefined,
    };
  }

  async #post(caller: Caller, post: Post): Promise<void> {
    try {
      const answer = await caller.post<Acknowledged>(
        `/v1/channels/${post.channelId}/messages`,
        { inputItems: itemsOf(post) },
        { headers: { 'idempotency-key': post.key } },
      );
      if (isStopping(answer)) {
        this.#unknown.push(post);
        return;
      }
      if (answer.status !== 201) throw new Error(`${String(answer.status)} ${answer.text}`);
      const { messageId, seq, inputItems } = answer.json;
      this.oracle.acknowledge(post, { messageId, seq, inputItems });
    } catch (error) {
      // Only what the connection says leaves the outcome open.
      if (!(error instanceof Error) || !('code' in error)) throw error;
      this.#unknown.push(post);
    }
  }
}

/** A daemon that stops refuses new requests: the client sends them again with their key. */
const isStopping = ({ status, text }: { status: number; text: string }): boolean =>
  status === 503 && text.includes('"code":"shutting_down"');

function itemsOf({ text, asset }: Post): object[] {
  const items = [{ type: 'text', text }];
  if (asset === undefined) return items;
  return [...items, { type: 'inline_asset', data: Buffer.from(asset).toString('base64') }];
}
