import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Core, LogEntry } from '@stoa/core';
import { type Principal, parseTopic, StoaError } from '@stoa/protocol';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { secretOf } from '../http/credentials-of.js';
import { Connection, type Outlet } from './connection.js';
import { formatPositions, parsePositions } from './positions.js';
import { socketDrained } from './socket-drain.js';
import type { Streams } from './streams.js';

const HEARTBEAT_MS = 20_000;

/** `/v1/events`: the same delivery as the WebSocket, for readers that speak plain HTTP. */
export function createEventStream(core: Core, streams: Streams, port: () => number) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const principal = request.principal as Principal;
    const secret = secretOf(request.headers, port()) ?? '';
    const { topic, after } = request.query as { topic: string | string[]; after?: string };
    const topics = [...new Set(Array.isArray(topic) ? topic : [topic])];
    const last = request.headers['last-event-id'] ?? after;
    const positions =
      typeof last === 'string' && last !== ''
        ? parsePositions(last, topics)
        : new Map<string, number>();
    streams.assertRoom();
    for (const name of topics) {
      if (!parseTopic(name))
        throw new StoaError('topic_not_found', `${name} is not the name of a topic`);
      await core.assertMayFollow(principal, name);
    }
    reply.hijack();
    const response = reply.raw;
    response.writeHead(200, {
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      'X-Accel-Buffering': 'no',
      Connection: 'close',
    });
    response.flushHeaders();
    const connection = new Connection(
      core,
      principal,
      eventStreamOutlet(response, positions),
      () => {
        streams.remove(connection);
        clearInterval(heartbeat);
      },
    );
    const heartbeat = setInterval(() => response.write(':\n\n'), HEARTBEAT_MS);
    streams.add(connection);
    response.on('close', () => {
      connection.end();
    });
    await connection.guardCredential(secret);
    for (const name of topics) await connection.subscribe(name, positions.get(name));
    return reply;
  };
}

/** Every event carries where the reader now stands in all its topics, so that it can resume from any. */
function eventStreamOutlet(response: ServerResponse, start: ReadonlyMap<string, number>): Outlet {
  const positions = new Map(start);
  const socket = response.socket as Socket;
  return {
    event(entry: LogEntry, encoded: string) {
      positions.set(entry.topic, entry.seq);
      response.write(
        `id: ${formatPositions(positions)}\nevent: ${entry.type}\ndata: ${encoded}\n\n`,
      );
    },
    frame(frame) {
      if (response.writableEnded) return;
      if (frame.type === 'subscribed') positions.set(frame.topic, frame.after);
      response.write(`event: stoa.${frame.type}\ndata: ${JSON.stringify(frame)}\n\n`);
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
