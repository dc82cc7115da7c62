import type { Stamped, StreamFrame, StreamRequest } from '@stoa/protocol';
import { WebSocket } from 'ws';
import { until } from '../time/until.js';

export interface SocketOptions {
  readonly token?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly protocols?: readonly string[];
  readonly path?: string;
}

/** The daemon answered the upgrade with an ordinary response. */
export class UpgradeRefused extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
  ) {
    super(`the upgrade was refused with ${String(status)} ${code}`);
  }
}

/** A WebSocket on `/v1/stream` that keeps every frame it gets, in order. */
export class LiveSocket {
  readonly frames: StreamFrame[] = [];
  /** When each of the frames came, in epoch milliseconds. */
  readonly arrivals: number[] = [];
  #closed: { readonly code: number } | undefined;

  private constructor(private readonly socket: WebSocket) {
    socket.on('message', (data: Buffer) => {
      this.arrivals.push(Date.now());
      this.frames.push(JSON.parse(data.toString('utf8')) as StreamFrame);
    });
    socket.on('close', (code) => {
      this.#closed = { code };
    });
    // What went wrong shows as a close, or as a frame that does not come.
    socket.on('error', () => undefined);
  }

  static open(
    url: string,
    { token, headers = {}, protocols = [], path = '/v1/stream' }: SocketOptions = {},
  ): Promise<LiveSocket> {
    const target = new URL(path, url);
    target.protocol = 'ws:';
    const socket = new WebSocket(target, [...protocols], {
      perMessageDeflate: false,
      headers: { ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...headers },
    });
    const live = new LiveSocket(socket);
    return new Promise((resolve, reject) => {
      socket.once('open', () => {
        resolve(live);
      });
      socket.once('error', reject);
      socket.once('unexpected-response', (_, response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.on('end', () => {
          const { code } = JSON.parse(text) as { code: string };
          reject(new UpgradeRefused(response.statusCode ?? 0, code));
        });
      });
    });
  }

  say(request: StreamRequest): void {
    this.socket.send(JSON.stringify(request));
  }

  /** Sent as it is. */
  sayRaw(text: string | Uint8Array): void {
    this.socket.send(text);
  }

  ping(data: Uint8Array): void {
    this.socket.ping(data);
  }

  /** Resolves with the answer when the daemon confirms the subscription. */
  async subscribe(
    topic: string,
    after?: number,
  ): Promise<Extract<StreamFrame, { type: 'subscribed' }>> {
    const asked = this.frames.length;
    this.say({ type: 'subscribe', topic, ...(after === undefined ? {} : { after }) });
    return until(`${topic} is followed`, () => {
      for (const frame of this.frames.slice(asked)) {
        if (frame.type === 'subscribed' && frame.topic === topic) return frame;
        if (frame.type === 'error' && frame.topic === topic) throw new Error(frame.code);
      }
      return undefined;
    });
  }

  framesOf<T extends StreamFrame['type']>(type: T): Extract<StreamFrame, { type: T }>[] {
    return this.frames.filter(
      (frame): frame is Extract<StreamFrame, { type: T }> => frame.type === type,
    );
  }

  events(topic?: string): Stamped[] {
    const events = this.framesOf('event').map(({ event }) => event as Stamped);
    return topic === undefined ? events : events.filter((event) => event.topic === topic);
  }

  /** Stops reading, as a program does that hangs: what arrives fills the buffers of the system. */
  pause(): void {
    this.socket.pause();
  }

  resume(): void {
    this.socket.resume();
  }

  get closed(): { readonly code: number } | undefined {
    return this.#closed;
  }

  /** Resolves when either side has closed the connection. */
  async ended(): Promise<{ readonly code: number }> {
    return until('the stream has ended', () => this.#closed);
  }

  async close(): Promise<void> {
    this.socket.close();
    await this.ended();
  }

  terminate(): void {
    this.socket.terminate();
  }
}
