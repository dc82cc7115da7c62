import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { StreamRequest } from '@stoa/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { type Client, createClient } from '../client.js';
import { createNodeClient } from '../node.js';
import type { FollowItem, FollowNotice } from './follow-item.js';

/** Speaks the stream of the contract over real sockets, from a log that only grows. */
class TopicServer {
  readonly sockets = new Set<WebSocket>();
  readonly subscribed: { readonly socket: WebSocket; readonly topic: string }[] = [];
  refuse: { readonly status: number; readonly code: string } | undefined;
  connections = 0;
  authorization: string | undefined;
  private readonly heads = new Map<string, number>();
  private readonly http = http.createServer();
  private readonly ws = new WebSocketServer({ noServer: true });

  async listen(): Promise<string> {
    this.http.on('request', (_, response) => {
      const { status, code } = this.refuse ?? { status: 200, code: 'none' };
      response.writeHead(status).end(JSON.stringify({ code, detail: 'refused' }));
    });
    this.http.on('upgrade', (request, socket, head) => {
      this.connections += 1;
      this.authorization = request.headers.authorization;
      if (this.refuse) {
        const body = JSON.stringify({ ...this.refuse, detail: 'refused' });
        socket.end(
          `HTTP/1.1 ${this.refuse.status} No\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
        );
        return;
      }
      this.ws.handleUpgrade(request, socket, head, (opened) => this.accept(opened));
    });
    await new Promise<void>((resolve) => this.http.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.http.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.cut();
    this.http.closeAllConnections();
    await new Promise((resolve) => this.http.close(resolve));
  }

  post(topic: string): void {
    const seq = (this.heads.get(topic) ?? 0) + 1;
    this.heads.set(topic, seq);
    for (const each of this.subscribed) {
      if (each.topic === topic) this.send(each.socket, topic, seq);
    }
  }

  say(frame: unknown): void {
    for (const socket of this.sockets) socket.send(JSON.stringify(frame));
  }

  cut(): void {
    for (const socket of this.sockets) socket.terminate();
  }

  private accept(socket: WebSocket): void {
    this.sockets.add(socket);
    socket.on('message', (data: Buffer) =>
      this.serve(socket, JSON.parse(data.toString()) as StreamRequest),
    );
    socket.on('close', () => {
      this.sockets.delete(socket);
      for (const each of [...this.subscribed]) {
        if (each.socket === socket) this.subscribed.splice(this.subscribed.indexOf(each), 1);
      }
    });
  }

  private serve(socket: WebSocket, request: StreamRequest): void {
    const { topic } = request;
    const present = this.subscribed.findIndex(
      (each) => each.socket === socket && each.topic === topic,
    );
    if (present >= 0) this.subscribed.splice(present, 1);
    if (request.type === 'unsubscribe') {
      socket.send(JSON.stringify({ type: 'unsubscribed', topic }));
      return;
    }
    const head = this.heads.get(topic) ?? 0;
    const after = request.after ?? head;
    socket.send(JSON.stringify({ type: 'subscribed', topic, after, head, oldest: 1 }));
    for (let seq = after + 1; seq <= head; seq += 1) this.send(socket, topic, seq);
    this.subscribed.push({ socket, topic });
  }

  private send(socket: WebSocket, topic: string, seq: number): void {
    const event = { type: 'channel_archived', data: {}, topic, seq, at: 0, actor: 'system' };
    socket.send(JSON.stringify({ type: 'event', event }));
  }
}

const topic = 'channel:general';

describe('client.follow', () => {
  let server: TopicServer;
  let client: Client;

  beforeEach(async () => {
    server = new TopicServer();
    client = createNodeClient({ baseUrl: await server.listen(), token: 'secret', random: () => 0 });
  });

  afterEach(async () => {
    client.close();
    await server.close();
  });

  async function take(
    items: AsyncIterator<FollowItem, undefined>,
    count: number,
  ): Promise<(number | string)[]> {
    const taken: (number | string)[] = [];
    while (taken.length < count) {
      const { value, done } = await items.next();
      if (done) break;
      taken.push('seq' in value ? value.seq : value.type);
    }
    return taken;
  }

  /** Resolves with the next notice of the type each time it is called. */
  function notices(): {
    onNotice: (notice: FollowNotice) => void;
    next: (type: FollowNotice['type']) => Promise<void>;
  } {
    const seen: FollowNotice[] = [];
    let wake = (): void => undefined;
    return {
      onNotice: (notice) => {
        seen.push(notice);
        wake();
      },
      next: async (type) => {
        while (seen.shift()?.type !== type) {
          if (seen.length === 0) {
            await new Promise<void>((resolve) => {
              wake = resolve;
            });
          }
        }
      },
    };
  }

  it.each([
    [true, ['draft', 1, 'draft_ended']],
    [undefined, [1, 2, 3]],
  ])(
    'C-68 hands drafts to who asks for them (drafts: %s), and ends them when the connection is lost',
    async (drafts, expected) => {
      const { onNotice, next } = notices();
      const items = client.follow(topic, { after: 0, drafts, onNotice });
      await next('following');
      const who = { memberId: 'bee', displayName: 'Bee' };
      const where = { threadRootMessageId: 'msg_1', replyToMessageId: 'msg_1' };
      server.say({
        type: 'draft',
        topic,
        runId: 'run_1',
        ...who,
        ...where,
        offset: 0,
        text: 'Hel',
      });
      server.post(topic);
      expect(await take(items, 2 - (drafts ? 0 : 1))).toEqual(expected.slice(0, drafts ? 2 : 1));
      server.cut();
      await next('reconnecting');
      server.post(topic);
      server.post(topic);
      const rest = expected.slice(drafts ? 2 : 1);
      expect(await take(items, rest.length)).toEqual(rest);
    },
  );

  it('F-25 replays missed events and continues live, across lost connections', async () => {
    for (let each = 0; each < 3; each += 1) server.post(topic);
    const { onNotice, next } = notices();
    const items = client.follow(topic, { after: 1, onNotice });
    expect(await take(items, 2)).toEqual([2, 3]);
    server.cut();
    await next('reconnecting');
    server.post(topic);
    expect(await take(items, 1)).toEqual([4]);
    server.post(topic);
    expect(await take(items, 1)).toEqual([5]);
    expect(server.connections).toBe(2);
    expect(server.authorization).toBe('Bearer secret');
  });

  it('starts from now without a position', async () => {
    server.post(topic);
    const { onNotice, next } = notices();
    const items = client.follow(topic, { onNotice });
    await next('following');
    server.post(topic);
    expect(await take(items, 1)).toEqual([2]);
  });

  it('carries many topics over one socket, and a second reader of a topic over another', async () => {
    const first = client.follow('channel:a', { after: 0 });
    const second = client.follow('channel:b', { after: 0 });
    const again = client.follow('channel:a', { after: 0 });
    server.post('channel:a');
    server.post('channel:b');
    expect(await Promise.all([take(first, 1), take(second, 1), take(again, 1)])).toEqual([
      [1],
      [1],
      [1],
    ]);
    expect(server.connections).toBe(2);
  });

  it('ends with the problem when the upgrade is refused, and does not try again', async () => {
    server.refuse = { status: 401, code: 'unauthenticated' };
    const items = client.follow(topic, { after: 0 });
    await expect(items.next()).rejects.toMatchObject({ code: 'unauthenticated', status: 401 });
    expect(await items.next()).toEqual({ value: undefined, done: true });
    expect(server.connections).toBe(1);
  });

  it('retries while the daemon is unavailable', async () => {
    server.refuse = { status: 503, code: 'shutting_down' };
    const { onNotice, next } = notices();
    const items = client.follow(topic, { after: 0, onNotice });
    await next('reconnecting');
    server.refuse = undefined;
    server.post(topic);
    expect(await take(items, 1)).toEqual([1]);
  });

  it('F-35 ends with an error when the credential is revoked', async () => {
    const { onNotice, next } = notices();
    const items = client.follow(topic, { after: 0, onNotice });
    await next('following');
    server.say({ type: 'closing', reason: 'revoked' });
    await expect(items.next()).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  it('ignores frames it does not know', async () => {
    const { onNotice, next } = notices();
    const items = client.follow(topic, { after: 0, onNotice });
    await next('following');
    server.say({ type: 'weather', sunny: true });
    server.post(topic);
    expect(await take(items, 1)).toEqual([1]);
  });

  it('ends without an error when its signal is aborted, and closes the socket', async () => {
    const controller = new AbortController();
    const { onNotice, next } = notices();
    const items = client.follow(topic, { after: 0, onNotice, signal: controller.signal });
    await next('following');
    const closed = new Promise((resolve) => [...server.sockets][0]?.once('close', resolve));
    const waiting = items.next();
    controller.abort();
    expect(await waiting).toEqual({ value: undefined, done: true });
    await closed;
  });

  it('F-27 limits the buffered events of a slow reader, and misses none', async () => {
    const { onNotice, next } = notices();
    const items = client.follow(topic, { after: 0, onNotice });
    await next('following');
    for (let each = 0; each < 5_000; each += 1) server.post(topic);
    await expect.poll(() => server.subscribed.length, { timeout: 5_000 }).toBe(0);
    expect(await take(items, 5_000)).toEqual(
      Array.from({ length: 5_000 }, (_, index) => index + 1),
    );
  });
});

describe('client.follow in a browser', () => {
  let server: TopicServer;
  let client: Client;

  beforeEach(async () => {
    server = new TopicServer();
    // The standard interface, which a browser brings and Node 20 does not.
    Object.assign(globalThis, { WebSocket });
    client = createClient({ baseUrl: await server.listen() });
  });

  afterEach(async () => {
    Reflect.deleteProperty(globalThis, 'WebSocket');
    client.close();
    await server.close();
  });

  it('follows over the WebSocket of the browser', async () => {
    const items = client.follow(topic, { after: 0 });
    server.post(topic);
    expect((await items.next()).value).toMatchObject({ seq: 1 });
    expect(server.authorization).toBeUndefined();
  });

  it('asks by HTTP why a socket does not open, which browsers do not report', async () => {
    server.refuse = { status: 401, code: 'unauthenticated' };
    const items = client.follow(topic, { after: 0 });
    await expect(items.next()).rejects.toMatchObject({ code: 'unauthenticated', status: 401 });
  });

  it('reports that it cannot send a token', () => {
    const other = createClient({ baseUrl: client.baseUrl, token: 'secret' });
    expect(() => other.follow(topic)).toThrow('@stoa/client/node');
  });
});
