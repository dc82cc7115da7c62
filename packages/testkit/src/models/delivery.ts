import type { ServerResponse } from 'node:http';
import type { MessageReply, RefusalReply } from './reply.js';
import type { ModelRequest, RequestOutcome } from './request.js';
import type { IssuedMessage, Refused, Wire } from './wire.js';

const GARBAGE = {
  garbage_json: 'data: {"choices":[{"delta":{"content":"a half\n\n',
  garbage_sse: '\u0000\u0001<html><body>502 Bad Gateway</body></html>\n\n',
};

type Ending = Exclude<RequestOutcome, 'pending' | 'refused'>;

/** Sends one answer, as far as its script and its client let it. */
export class Delivery {
  /** Aborted when either side closes the connection. */
  readonly #left: AbortSignal;
  readonly #gone: Promise<void>;

  constructor(
    private readonly request: ModelRequest,
    private readonly response: ServerResponse,
  ) {
    const left = new AbortController();
    response.on('error', () => undefined);
    this.#left = left.signal;
    this.#gone = new Promise((resolve) => {
      response.on('close', () => {
        left.abort();
        resolve();
      });
    });
  }

  async refuse(refused: Refused, { gate, retryAfter, retryAfterMs }: RefusalReply): Promise<void> {
    await gate?.pass(this.#left);
    this.request.refusal = refused.message;
    this.request.outcome = this.#left.aborted ? 'abandoned' : 'refused';
    this.response.writeHead(refused.status, {
      'content-type': 'application/json',
      ...refused.headers,
      ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
      ...(retryAfterMs === undefined ? {} : { 'retry-after-ms': String(retryAfterMs) }),
    });
    this.response.end(JSON.stringify(refused.body));
  }

  async send(reply: MessageReply, message: IssuedMessage, wire: Wire): Promise<void> {
    const { body, stream } = this.request;
    const chunks = stream
      ? wire.stream(message, body)
      : halves(JSON.stringify(wire.whole(message)));
    const type = stream ? 'text/event-stream; charset=utf-8' : 'application/json';
    // A whole body is one thing to wait for, although it can break in its middle.
    if (!stream) await reply.gate?.pass(this.#left);
    const { by, after } = reply.breaks ?? { by: undefined, after: chunks.length };
    if (by === 'reset' && after === 0) {
      if (stream) await reply.gate?.pass(this.#left);
      this.#end('broken');
      this.response.socket?.resetAndDestroy();
      return;
    }
    if (by !== 'hang' || after > 0) {
      this.response.writeHead(200, { 'content-type': type, 'cache-control': 'no-cache' });
    }
    for (const chunk of chunks.slice(0, after)) {
      if (stream) await reply.gate?.pass(this.#left);
      if (this.#left.aborted) break;
      await this.#write(chunk);
      this.request.chunksSent += 1;
    }
    if (by !== undefined && stream) await reply.gate?.pass(this.#left);
    if (this.#left.aborted) this.#end('abandoned');
    else if (by === undefined) this.#finish('answered');
    else await this.#break(by, wire.streamError(message, after));
  }

  async #break(by: NonNullable<MessageReply['breaks']>['by'], error: string): Promise<void> {
    switch (by) {
      case 'reset':
        this.#end('broken');
        // Not a reset packet: that would take back what was sent and the client has not read.
        this.response.destroy();
        return;
      case 'hang':
        await this.#gone;
        this.#end('abandoned');
        return;
      case 'cut_off':
        this.#finish('broken');
        return;
      case 'garbage_json':
      case 'garbage_sse':
        await this.#write(GARBAGE[by]);
        this.#finish('broken');
        return;
      case 'stream_error':
        await this.#write(error);
        this.#finish('broken');
    }
  }

  async #write(chunk: string): Promise<void> {
    const written = new Promise((resolve) => {
      this.response.write(chunk, resolve);
    });
    await Promise.race([written, this.#gone]);
  }

  #finish(outcome: Ending): void {
    this.#end(outcome);
    this.response.end();
  }

  #end(outcome: Ending): void {
    this.request.outcome = outcome;
  }
}

/** A body that is sent at once can only break in its middle. */
function halves(text: string): [string, string] {
  const middle = Math.floor(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)];
}
