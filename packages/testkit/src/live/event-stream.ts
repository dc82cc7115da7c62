import { get, type IncomingMessage } from 'node:http';
import type { Stamped, StreamFrame } from '@stoa/protocol';
import { until } from '../time/until.js';

export interface EventStreamOptions {
  readonly token?: string | undefined;
  readonly lastEventId?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One event of the stream, as the standard cuts it. */
export interface ServerSentEvent {
  readonly id: string | undefined;
  readonly event: string;
  readonly data: string;
}

/** A reader of `/v1/events` that keeps everything it gets, in order. */
export class EventStream {
  readonly received: ServerSentEvent[] = [];
  #rest = '';
  #ended = false;

  private constructor(private readonly response: IncomingMessage) {
    response.setEncoding('utf8').on('data', (chunk: string) => {
      this.#take(chunk);
    });
    response.on('error', () => undefined);
    response.on('close', () => {
      this.#ended = true;
    });
  }

  /** Resolves when the daemon has begun to answer with a stream. */
  static open(
    url: string,
    query: string,
    { token, lastEventId, headers = {} }: EventStreamOptions = {},
  ): Promise<EventStream> {
    return new Promise((resolve, reject) => {
      const request = get(
        `${url}/v1/events?${query}`,
        {
          agent: false,
          headers: {
            ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
            ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
            ...headers,
          },
        },
        (response) => {
          if (response.statusCode === 200) resolve(new EventStream(response));
          else reject(new Error(`the stream was refused with ${String(response.statusCode)}`));
        },
      );
      request.on('error', reject);
    });
  }

  #take(chunk: string): void {
    const blocks = (this.#rest + chunk).split('\n\n');
    this.#rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = new Map(
        block.split('\n').map((line) => {
          const colon = line.indexOf(': ');
          return [line.slice(0, colon), line.slice(colon + 2)] as const;
        }),
      );
      const data = fields.get('data');
      if (data === undefined) continue;
      this.received.push({ id: fields.get('id'), event: fields.get('event') ?? 'message', data });
    }
  }

  events(topic?: string): Stamped[] {
    const events = this.received
      .filter(({ event }) => !event.startsWith('stoa.'))
      .map(({ data }) => JSON.parse(data) as Stamped);
    return topic === undefined ? events : events.filter((event) => event.topic === topic);
  }

  framesOf<T extends StreamFrame['type']>(type: T): Extract<StreamFrame, { type: T }>[] {
    return this.received
      .filter(({ event }) => event === `stoa.${type}`)
      .map(({ data }) => JSON.parse(data) as Extract<StreamFrame, { type: T }>);
  }

  /** The id a browser would send as Last-Event-ID. */
  get lastEventId(): string | undefined {
    return this.received.findLast(({ id }) => id !== undefined)?.id;
  }

  /** Resolves when the daemon has confirmed that many subscriptions. */
  async subscribed(topics = 1): Promise<void> {
    await until(
      'the stream follows its topics',
      () => this.framesOf('subscribed').length >= topics,
    );
  }

  async ended(): Promise<void> {
    await until('the stream has ended', () => this.#ended);
  }

  pause(): void {
    this.response.pause();
  }

  resume(): void {
    this.response.resume();
  }

  close(): void {
    this.response.destroy();
  }
}
