import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Core, LogEntry, Presented } from '@stoa/core';
import { type Principal, parseTopic, StoaError, type StreamFrame } from '@stoa/protocol';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { presentedIn } from '../http/credentials-of.js';
import { answeredError } from '../http/problems.js';
import { Connection, type Outlet } from './connection.js';
import { formatPositions, type Positions, parsePositions } from './positions.js';
import { socketDrained } from './socket-drain.js';
import type { Streams } from './streams.js';

export interface EventStreamPorts {
  readonly core: Core;
  readonly streams: Streams;
  readonly log: Logger;
  readonly stopping: () => boolean;
}

const HEARTBEAT_MS = 20_000;
const HEAD = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'X-Accel-Buffering': 'no',
  Connection: 'close',
};

/** `/v1/events`: the same delivery as the WebSocket, for readers with plain HTTP. */
export function createEventStream(ports: EventStreamPorts) {
  const { core, streams, stopping } = ports;
  /** A stream does not end, so later requests on the same connection would never be answered. */
  const taken = new WeakSet<Socket>();
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { socket } = request.raw;
    if (taken.has(socket)) {
      throw new StoaError('invalid_request', 'A connection carries one event stream');
    }
    taken.add(socket);
    const principal = request.principal as Principal;
    let start: Positions;
    try {
      streams.assertRoom();
      start = await startOf(core, principal, request);
      await itsTurn(reply.raw, socket);
      if (stopping()) throw new StoaError('shutting_down');
      streams.assertRoom();
    } catch (error) {
      taken.delete(socket);
      throw error;
    }
    reply.hijack();
    const presented = presentedIn(request.headers);
    // A reader that left during the lookup cannot end a stream that would be opened now.
    if (!socket.destroyed && presented) {
      void serve(ports, principal, presented, start, reply.raw);
    }
    return reply;
  };
}

/** The positions of the reader in all topics before the first frame, so that its first event id is complete. */
async function startOf(
  core: Core,
  principal: Principal,
  request: FastifyRequest,
): Promise<Positions> {
  const { topic, after } = request.query as { topic: string | string[]; after?: string };
  const topics = [...new Set(Array.isArray(topic) ? topic : [topic])];
  const last = request.headers['last-event-id'] ?? after;
  const known = typeof last === 'string' && last !== '' ? parsePositions(last, topics) : undefined;
  const start = new Map<string, number>();
  for (const name of topics) {
    if (!parseTopic(name))
      throw new StoaError('topic_not_found', `${name} is not the name of a topic`);
    const { head } = await core.readTopic(principal, name, Number.MAX_SAFE_INTEGER, 1);
    start.set(name, known?.get(name) ?? head);
  }
  return start;
}

/** Resolves when the earlier answers on its connection are sent, or the connection is closed. */
function itsTurn(response: ServerResponse, socket: Socket): Promise<void> {
  if (response.socket || socket.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('socket', done);
      socket.off('close', done);
      resolve();
    };
    response.once('socket', done);
    socket.once('close', done);
  });
}

/** Counts among the open streams before it first waits; errors from then on are sent on the stream. */
async function serve(
  { core, streams, log }: EventStreamPorts,
  principal: Principal,
  presented: Presented,
  start: Positions,
  response: ServerResponse,
): Promise<void> {
  const outlet = eventStreamOutlet(response, start);
  const connection = new Connection(core, principal, outlet, () => {
    streams.remove(connection);
    clearInterval(heartbeat);
  });
  const heartbeat = setInterval(() => response.write(':\n\n'), HEARTBEAT_MS);
  streams.add(connection);
  response.on('error', () => response.destroy());
  response.on('close', () => {
    connection.end();
  });
  try {
    response.writeHead(200, HEAD);
    response.flushHeaders();
    await connection.guardCredential(presented);
    for (const [topic, after] of start) await connection.subscribe(topic, after);
  } catch (error) {
    const { code, detail } = answeredError(error, log, 'an event stream hit a defect').toProblem();
    connection.say({ type: 'error', code, detail });
    connection.end();
  }
}

/** Event ids contain the positions in all topics, so that a reader can resume from any. */
function eventStreamOutlet(response: ServerResponse, start: Positions): Outlet {
  const positions = new Map(start);
  const socket = response.socket as Socket;
  const write = (type: string, data: string, id = ''): void => {
    response.write(`${id}event: ${type}\ndata: ${data}\n\n`);
  };
  const idAt = (topic: string, seq: number): string => {
    positions.set(topic, seq);
    return `id: ${formatPositions(positions)}\n`;
  };
  return {
    event(entry: LogEntry, encoded: string) {
      write(entry.type, encoded, idAt(entry.topic, entry.seq));
    },
    frame(frame) {
      if (response.writableEnded) return;
      const position = positionAfter(frame);
      const id = position === undefined ? '' : idAt(...position);
      write(`stoa.${frame.type}`, JSON.stringify(frame), id);
    },
    pendingBytes: () => response.writableLength,
    drained: () => socketDrained(socket),
    close() {
      response.end();
      setTimeout(() => {
        if (!response.writableFinished) socket.destroy();
      }, 2_000).unref();
    },
  };
}

/** Without it a browser that reconnects before the next event would start at another position. */
function positionAfter(frame: StreamFrame): [topic: string, seq: number] | undefined {
  if (frame.type === 'subscribed') return [frame.topic, frame.after];
  if (frame.type === 'gap') return [frame.topic, frame.oldest - 1];
  return undefined;
}
