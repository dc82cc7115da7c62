import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import {
  assertMayCall,
  type Core,
  type LogEntry,
  type Presented,
  READER_LIMIT_BYTES,
} from '@stoa/core';
import { type Principal, ROUTES, StoaError, StreamRequest } from '@stoa/protocol';
import type { Logger } from 'pino';
import { type WebSocket, WebSocketServer } from 'ws';
import { presentedInUpgrade, STREAM_PROTOCOL } from '../http/credentials-of.js';
import type { OriginGuard } from '../http/origin-guard.js';
import { answeredError, rawAnswer } from '../http/problems.js';
import { Connection, type Outlet } from './connection.js';
import { socketDrained } from './socket-drain.js';
import type { Streams } from './streams.js';

export interface WebSocketPorts {
  readonly core: Core;
  readonly guard: OriginGuard;
  readonly streams: Streams;
  readonly log: Logger;
  readonly stopping: () => boolean;
}

const REQUEST_BYTES = 16 * 1024;
const HEARTBEAT_MS = 30_000;
const GOING_AWAY = 1001;
const WAITING_REQUESTS = 256;
const REFUSAL_MS = 10_000;

/** `/v1/stream`: the same admission as any request, before the protocol is switched. */
export function serveWebSocket(server: Server, ports: WebSocketPorts): () => void {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: REQUEST_BYTES,
    perMessageDeflate: false,
    handleProtocols: (offered) => (offered.has(STREAM_PROTOCOL) ? STREAM_PROTOCOL : false),
  });
  // The HTTP server no longer tracks upgraded sockets, so only this ends one that is not served yet.
  const upgrading = new Set<Duplex>();
  sockets.on('wsClientError', (error, socket) => {
    refuse(socket, new StoaError('invalid_request', error.message), ports.log);
  });
  server.on('upgrade', (request, socket, head) => {
    upgrading.add(socket);
    socket.on('close', () => upgrading.delete(socket));
    socket.on('error', () => socket.destroy());
    admit(request, ports)
      .then(({ principal, presented }) => {
        ports.streams.assertRoom();
        sockets.handleUpgrade(request, socket, head, (webSocket) => {
          serve(webSocket, socket as Socket, principal, presented, ports);
        });
      })
      .catch((error: unknown) => {
        refuse(socket, error, ports.log);
      });
  });
  const heartbeat = setInterval(() => {
    for (const socket of sockets.clients) beat(socket);
  }, HEARTBEAT_MS);
  heartbeat.unref();
  return () => {
    clearInterval(heartbeat);
    for (const socket of sockets.clients) socket.terminate();
    for (const socket of upgrading) socket.destroy();
    sockets.close();
  };
}

async function admit(
  request: IncomingMessage,
  { core, guard, stopping }: WebSocketPorts,
): Promise<{ principal: Principal; presented: Presented }> {
  guard.check(request.headers);
  if (stopping()) throw new StoaError('shutting_down');
  if (request.headers.upgrade?.toLowerCase() !== 'websocket') {
    throw new StoaError(
      'invalid_request',
      'The only upgrade is to websocket; send the request as HTTP/1.1 without an Upgrade header',
    );
  }
  const presented = presentedInUpgrade(request.headers);
  const principal = presented && (await core.credentials.authenticate(presented));
  if (request.url?.split('?')[0] !== ROUTES.stream.path) {
    throw new StoaError(principal ? 'route_not_found' : 'unauthenticated');
  }
  assertMayCall(ROUTES.stream.access, principal);
  if (!principal) throw new StoaError('unauthenticated');
  // Open streams were notified already; a stream that opens now would not be.
  if (stopping()) throw new StoaError('shutting_down');
  return { principal, presented };
}

/** Ends the connection even if the other side does not end its half or never reads the answer. */
function refuse(socket: Duplex, error: unknown, log: Logger): void {
  const answer = rawAnswer(answeredError(error, log, 'an upgrade hit a defect'));
  (socket as Socket).setTimeout(REFUSAL_MS, () => socket.destroy());
  socket.end(answer, () => socket.destroy());
}

function serve(
  webSocket: WebSocket,
  socket: Socket,
  principal: Principal,
  presented: Presented,
  ports: WebSocketPorts,
): void {
  const { core, streams, log } = ports;
  const connection = new Connection(core, principal, webSocketOutlet(webSocket, socket), () => {
    streams.remove(connection);
  });
  streams.add(connection);
  alive.add(webSocket);
  webSocket.on('pong', () => alive.add(webSocket));
  webSocket.on('close', () => {
    connection.end();
  });
  webSocket.on('error', () => {
    webSocket.terminate();
  });
  // Handles requests one after the other, so that answers have the order of the requests.
  let queue = connection.guardCredential(presented).catch((error: unknown) => {
    log.error({ err: error }, 'a stream could not be guarded');
    connection.end();
  });
  let waiting = 0;
  webSocket.on('message', (data: Buffer) => {
    waiting += 1;
    if (waiting > WAITING_REQUESTS) webSocket.terminate();
    if (endIfBehind(webSocket)) return;
    queue = queue.then(async () => {
      if (await connection.keptUp()) await obey(connection, data, log);
      waiting -= 1;
    });
  });
  // A ping is answered immediately, so clients that only ping have the same limit.
  webSocket.on('ping', () => {
    endIfBehind(webSocket);
  });
}

/**
 * Returns true if the connection was ended: a client that sends requests without reading the answers would fill the
 * buffer.
 */
function endIfBehind(webSocket: WebSocket): boolean {
  if (webSocket.bufferedAmount > READER_LIMIT_BYTES) webSocket.terminate();
  return webSocket.readyState !== webSocket.OPEN;
}

async function obey(connection: Connection, data: Buffer, log: Logger): Promise<void> {
  let topic: string | undefined;
  try {
    const request = parseRequest(data);
    topic = request.topic;
    if (request.type === 'subscribe') await connection.subscribe(request.topic, request.after);
    else connection.unsubscribe(request.topic);
  } catch (error) {
    const answer = answeredError(error, log, 'a stream request hit a defect').toProblem();
    const { code, detail } = answer;
    connection.say({ type: 'error', code, detail, ...(topic === undefined ? {} : { topic }) });
  }
}

function parseRequest(data: Buffer): StreamRequest {
  let value: unknown;
  try {
    value = JSON.parse(data.toString('utf8'));
  } catch (error) {
    throw new StoaError('invalid_json', 'A stream request is one JSON object', [], {
      cause: error,
    });
  }
  const parsed = StreamRequest.safeParse(value);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map((issue) => ({
    path: issue.path.join('.'),
    message: issue.message,
  }));
  throw new StoaError(
    'invalid_request',
    'subscribe {topic, after?} or unsubscribe {topic}',
    issues,
  );
}

function webSocketOutlet(webSocket: WebSocket, socket: Socket): Outlet {
  return {
    event(entry, encoded) {
      webSocket.send(frameOf(entry, encoded), { binary: false });
    },
    frame(frame) {
      if (webSocket.readyState === webSocket.OPEN) webSocket.send(JSON.stringify(frame));
    },
    pendingBytes: () => webSocket.bufferedAmount,
    drained: () => socketDrained(socket),
    close() {
      webSocket.close(GOING_AWAY);
      setTimeout(() => {
        webSocket.terminate();
      }, 2_000).unref();
    },
  };
}

/** An event goes to many sockets in a row and is encoded once. */
let lastEntry: LogEntry | undefined;
let lastFrame = Buffer.alloc(0);

function frameOf(entry: LogEntry, encoded: string): Buffer {
  if (entry !== lastEntry) {
    lastEntry = entry;
    lastFrame = Buffer.from(`{"type":"event","event":${encoded}}`);
  }
  return lastFrame;
}

const alive = new WeakSet<WebSocket>();

function beat(socket: WebSocket): void {
  if (!alive.has(socket)) {
    socket.terminate();
    return;
  }
  alive.delete(socket);
  socket.ping();
}
