import { connect, type Socket } from 'node:net';
import {
  call,
  callerOf,
  DAEMON_ENGINES,
  EventStream,
  LiveSocket,
  type TestDaemon,
  type TestDirectory,
  until,
} from '@stoa/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

/** A request that is sent in two parts, so that it is under way for as long as the test wants. */
class SlowRequest {
  #text = '';
  #over = false;

  private constructor(
    private readonly socket: Socket,
    private readonly rest: string,
  ) {
    socket.setEncoding('utf8').on('data', (chunk: string) => (this.#text += chunk));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.#over = true;
    });
  }

  static async begin(port: number, first: string, rest: string): Promise<SlowRequest> {
    const socket = connect(port, '127.0.0.1');
    const request = new SlowRequest(socket, rest);
    await new Promise((resolve) => socket.write(first, resolve));
    return request;
  }

  /** The connection ends with the answer: it would hold up the daemon otherwise. */
  async finish(): Promise<{ status: number; body: Record<string, unknown> }> {
    this.socket.write(this.rest);
    await until('the connection ends', () => this.#over, { timeoutMs: 2_500 });
    const [, status, body] = /^HTTP\/1\.1 (\d+)[^]*?\r\n\r\n([^]*)$/.exec(this.#text) ?? [];
    expect(this.#text).toMatch(/^connection: close\r$/im);
    return { status: Number(status), body: JSON.parse(body ?? '') as Record<string, unknown> };
  }

  get over(): boolean {
    return this.#over;
  }

  end(): void {
    this.socket.destroy();
  }
}

// One engine beside the other: most of this is waiting.
describe.concurrent.each(DAEMON_ENGINES)('stopping a daemon on $name', (engine) => {
  let directory: TestDirectory;
  let daemon: TestDaemon;
  const open: { end(): void }[] = [];

  beforeEach(async () => {
    directory = await engine.newDirectory();
    daemon = await directory.start();
    const owner = callerOf(daemon.url, daemon.token);
    await owner.post('/v1/channels', { channelId: 'lobby', title: 'Lobby' });
  });
  afterEach(async () => {
    for (const one of open.splice(0)) one.end();
    await directory.discard();
  });

  async function begin(first: string, rest: string): Promise<SlowRequest> {
    const request = await SlowRequest.begin(daemon.port, first, rest);
    open.push(request);
    return request;
  }

  const head = (length: number): string =>
    [
      'POST /v1/channels/lobby/messages HTTP/1.1',
      `Host: 127.0.0.1:${String(daemon.port)}`,
      `Authorization: Bearer ${daemon.token}`,
      'Content-Type: application/json',
      `Content-Length: ${String(length)}`,
      '',
      '',
    ].join('\r\n');

  /** Admitted, and then waiting for the rest of its body. */
  function admitted(text: string): Promise<SlowRequest> {
    const body = JSON.stringify({ text });
    return begin(head(body.length) + body.slice(0, 4), body.slice(4));
  }

  /** Begun, and its head not yet complete. */
  function announced(text: string): Promise<SlowRequest> {
    const whole = head(JSON.stringify({ text }).length) + JSON.stringify({ text });
    return begin(whole.slice(0, 30), whole.slice(30));
  }

  /** The daemon reads in the order things came: who is answered now came after what was sent before. */
  async function theyAreRead(): Promise<void> {
    for (let i = 0; i < 2; i++) {
      expect((await call(daemon.url, 'GET', '/healthz')).status).toBe(200);
    }
  }

  it('F-6 answers or refuses 20 requests in flight, tells 5 streams, and ends with 0 within 5 seconds', {
    concurrent: false,
  }, async () => {
    const sockets = await Promise.all(
      Array.from({ length: 3 }, () => LiveSocket.open(daemon.url, daemon)),
    );
    for (const socket of sockets) await socket.subscribe('channel:lobby');
    const streams = await Promise.all(
      Array.from({ length: 2 }, () => EventStream.open(daemon.url, 'topic=channel:lobby', daemon)),
    );
    for (const stream of streams) await stream.subscribed();
    const waiting = await Promise.all(
      Array.from({ length: 10 }, (_, i) => admitted(`in flight ${String(i)}`)),
    );
    const begun = await Promise.all(
      Array.from({ length: 10 }, (_, i) => announced(`too late ${String(i)}`)),
    );
    await theyAreRead();
    const owner = callerOf(daemon.url, daemon.token);
    expect((await owner.get('/v1/status')).json).toMatchObject({ streams: 5 });

    const asked = performance.now();
    const exit = daemon.stop();
    for (const socket of sockets) {
      await socket.ended();
      expect(socket.frames.at(-1)).toEqual({ type: 'closing', reason: 'shutdown' });
    }
    for (const stream of streams) {
      await stream.ended();
      expect(stream.framesOf('closing')).toEqual([{ type: 'closing', reason: 'shutdown' }]);
    }

    const answers = await Promise.all(waiting.map((request) => request.finish()));
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(201));
    for (const { status, body } of await Promise.all(begun.map((request) => request.finish()))) {
      expect(status).toBe(503);
      expect(body).toMatchObject({ code: 'shutting_down' });
    }
    expect(await exit).toBe(0);
    expect(performance.now() - asked).toBeLessThan(5_000);

    const again = await directory.start();
    const page = await callerOf(again.url, again.token).get<{ messages: { messageId: string }[] }>(
      '/v1/channels/lobby/messages',
    );
    expect(page.json.messages.map(({ messageId }) => messageId).sort()).toEqual(
      answers.map(({ body }) => body['messageId']).sort(),
    );
  });

  it('F-6 does not wait longer than 5 seconds for a request that never comes to its end', {
    concurrent: false,
  }, async () => {
    const stuck = await admitted('never finished');
    await theyAreRead();
    const asked = performance.now();
    expect(await daemon.stop()).toBe(0);
    expect(performance.now() - asked).toBeLessThan(5_000);
    await until('the connection is closed', () => stuck.over);

    const again = await directory.start();
    expect(again.output().stderr).not.toContain('took over');
    const page = await callerOf(again.url, again.token).get('/v1/channels/lobby/messages');
    expect(page.json).toEqual({ messages: [], hasMore: false });
  });

  it('F-6 does not wait for a refused upgrade whose other side never ends its half', {
    concurrent: false,
  }, async () => {
    const socket = connect({ port: daemon.port, host: '127.0.0.1', allowHalfOpen: true });
    open.push({ end: () => socket.destroy() });
    socket.on('error', () => undefined);
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    socket.write(
      [
        'GET /v1/stream HTTP/1.1',
        `Host: 127.0.0.1:${String(daemon.port)}`,
        'Connection: Upgrade',
        'Upgrade: websocket',
        'Sec-WebSocket-Version: 13',
        'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
        '',
        '',
      ].join('\r\n'),
    );
    await until('it is refused', () => text.includes('unauthenticated'));
    const asked = performance.now();
    expect(await daemon.stop()).toBe(0);
    expect(performance.now() - asked).toBeLessThan(2_500);
  });

  it('F-6 ends in the same way on Ctrl-C', { concurrent: false }, async () => {
    const stream = await EventStream.open(daemon.url, 'topic=channel:lobby', daemon);
    await stream.subscribed();
    expect(await daemon.stop('SIGINT')).toBe(0);
    expect(stream.framesOf('closing')).toEqual([{ type: 'closing', reason: 'shutdown' }]);
  });
});
