import type { IncomingMessage } from 'node:http';
import type { WebSocket } from 'ws';
import type { StoaProblem } from '../problem.js';
import { problemFrom } from '../problem.js';
import type { OpenSocket, SocketHandlers } from './socket.js';

/** A silent connection gets a ping; without an answer by the next one it is dropped. */
const HEARTBEAT_MS = 20_000;
const HANDSHAKE_MS = 10_000;

/** `ws` is loaded with the first stream: most commands never need it. */
export const nodeSocket: OpenSocket = (url, token, handlers) => {
  let socket: WebSocket | undefined;
  let closed = false;
  const finish = (refusal?: StoaProblem): void => {
    if (closed) return;
    closed = true;
    handlers.closed(refusal);
  };
  import('ws')
    .then((ws) => {
      if (closed) return;
      socket = new ws.WebSocket(url, {
        handshakeTimeout: HANDSHAKE_MS,
        perMessageDeflate: false,
        ...(token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } }),
      });
      listen(socket, url, handlers, finish, () => closed);
    })
    .catch(() => finish());
  return {
    send: (text) => socket?.send(text),
    close: () => {
      closed = true;
      socket?.close();
      // The closing handshake with a lost peer would keep the process alive.
      setTimeout(() => socket?.terminate(), 1_000).unref();
    },
  };
};

function listen(
  socket: WebSocket,
  url: string,
  handlers: SocketHandlers,
  finish: (refusal?: StoaProblem) => void,
  isClosed: () => boolean,
): void {
  let alive = true;
  const heartbeat = setInterval(() => {
    if (!alive) socket.terminate();
    alive = false;
    if (socket.readyState === socket.OPEN) socket.ping();
  }, HEARTBEAT_MS);
  const sign = (): void => {
    alive = true;
  };
  socket.on('open', () => {
    sign();
    if (!isClosed()) handlers.opened();
  });
  socket.on('message', (data) => {
    sign();
    if (!isClosed()) handlers.received(textOf(data));
  });
  socket.on('ping', sign);
  socket.on('pong', sign);
  // Always followed by `close`, except after a refused upgrade.
  socket.on('error', () => undefined);
  socket.on('close', () => {
    clearInterval(heartbeat);
    finish();
  });
  socket.on('unexpected-response', (_, answer) => {
    void refusalFrom(answer, url).then((refusal) => {
      clearInterval(heartbeat);
      socket.terminate();
      finish(refusal);
    });
  });
}

async function refusalFrom(answer: IncomingMessage, url: string): Promise<StoaProblem | undefined> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of answer) chunks.push(chunk as Buffer);
  } catch {
    return undefined;
  }
  return problemFrom(answer.statusCode ?? 0, Buffer.concat(chunks).toString(), url);
}

function textOf(data: Buffer | ArrayBuffer | Buffer[]): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString();
  return Buffer.isBuffer(data) ? data.toString() : Buffer.from(data).toString();
}
