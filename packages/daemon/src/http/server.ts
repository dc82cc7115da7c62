import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { assertMayCall, type Core } from '@stoa/core';
import {
  isPage,
  PAGE_IDS,
  type PageId,
  type Principal,
  ROUTES,
  type Route,
  type RouteId,
  type RouteSchemas,
  type SpecialRouteId,
  StoaError,
  schemasOf,
} from '@stoa/protocol';
import fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type RouteOptions,
} from 'fastify';
import type { Logger } from 'pino';
import type { Metrics } from '../observe/metrics.js';
import { presentedIn } from './credentials-of.js';
import type { Call, Handlers } from './handler.js';
import { parseJsonBody } from './json-body.js';
import type { OriginGuard } from './origin-guard.js';
import { answeredError, knownError, rawAnswer } from './problems.js';
import { compileCheck } from './validation.js';

declare module 'fastify' {
  interface FastifyRequest {
    principal: Principal | undefined;
  }
}

export type SpecialHandler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

/** `page` serves every page of the web UI; a WebSocket serves `stream`, see `serveWebSocket`. */
type SpecialHandlers = Readonly<
  Record<Exclude<SpecialRouteId, PageId | 'stream'> | 'page', SpecialHandler>
>;

export interface ServerPorts {
  readonly core: Core;
  readonly guard: OriginGuard;
  readonly handlers: Handlers;
  readonly special: SpecialHandlers;
  readonly metrics: Metrics;
  readonly log: Logger;
  readonly stopping: () => boolean;
}

const SMALL_BODY_BYTES = 256 * 1024;
/**
 * Pages only display something, so other sites may link to them. A login link is not a page: other sites may not open
 * it.
 */
const PAGES: ReadonlySet<string> = new Set(PAGE_IDS.map((id) => ROUTES[id].path));
const KEY_PATTERN = /^[\x21-\x7e]{1,200}$/;
const DROPPED_BYTES = 64 * 1024 * 1024;
const DROP_MS = 10_000;

/**
 * Admits every request, in this order: is it addressed to us (Host, Origin), are we stopping, who is calling, may
 * they call this route, is the body JSON that we can store, does it fit the schema.
 */
export function createServer(ports: ServerPorts): FastifyInstance {
  const server = fastify({
    bodyLimit: SMALL_BODY_BYTES,
    exposeHeadRoutes: false,
    forceCloseConnections: 'idle',
    // Refused below, with a code of the registry.
    return503OnClosing: false,
    keepAliveTimeout: 65_000,
    requestTimeout: 120_000,
    routerOptions: { maxParamLength: 256 },
    schemaController: {
      compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas },
    },
    clientErrorHandler: answerBrokenRequest,
    frameworkErrors: (error, request, reply) => {
      void sendProblem(ports, error, request, reply);
    },
  });
  server.addHook('onRoute', assertInTable);
  server.decorateRequest('principal', undefined);
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_, body, done) => {
    try {
      done(null, parseJsonBody(body as Buffer));
    } catch (error) {
      done(error as Error, undefined);
    }
  });
  server.addHook('onRequest', async (request, reply) => {
    reply.header('X-Content-Type-Options', 'nosniff').header('Cache-Control', 'no-store');
    const { url = '' } = request.routeOptions;
    ports.guard.check(request.headers, PAGES.has(url) || isUnknownPage(request));
    if (ports.stopping() && url !== ROUTES.readyz.path) {
      throw new StoaError('shutting_down');
    }
    const presented = presentedIn(request.headers);
    request.principal = presented && (await ports.core.credentials.authenticate(presented));
    // Before the body is read; unknown callers do not learn which routes exist.
    if (request.is404 && !request.principal && !isUnknownPage(request))
      throw new StoaError('unauthenticated');
  });
  // A connection that stays open after its last answer would delay the end of the daemon.
  server.addHook('onSend', (_, reply, payload, done) => {
    if (ports.stopping()) reply.header('Connection', 'close');
    done(null, payload);
  });
  server.addHook('onResponse', (request, reply, done) => {
    ports.metrics.observeRequest(
      request.routeOptions.url,
      request.method,
      reply.statusCode,
      reply.elapsedTime,
    );
    ports.log.debug(
      {
        method: request.method,
        route: request.routeOptions.url,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
      },
      'request',
    );
    done();
  });
  server.setErrorHandler(async (error, request, reply) => {
    if (knownError(error)?.code === 'payload_too_large') await bodyDropped(request.raw);
    return sendProblem(ports, error, request, reply);
  });
  server.setNotFoundHandler((request, reply) =>
    isUnknownPage(request)
      ? ports.special.page(request, reply.code(404))
      : sendProblem(ports, new StoaError('route_not_found'), request, reply),
  );
  // In one scope: separate scopes would take as long as the rest of this function.
  void server.register((scope, _, done) => {
    for (const [id, route] of Object.entries(ROUTES) as [RouteId, Route][]) {
      if (id !== 'stream') register(scope, ports, id, route);
    }
    done();
  });
  return server;
}

const TABLE = new Set(Object.values<Route>(ROUTES).map(({ method, path }) => `${method} ${path}`));

/** The authorisation table is the list of routes: a route that is not in it stops the start. */
function assertInTable(route: {
  readonly method: string | readonly string[];
  readonly url: string;
}): void {
  for (const method of [route.method].flat()) {
    if (TABLE.has(`${method} ${route.url}`)) continue;
    throw new Error(`${method} ${route.url} has no entry in the authorisation table`);
  }
}

/** Addresses for programs: an unknown one is a problem, regardless of `Accept`. */
const FOR_PROGRAMS = /^\/(?:v1|mcp|assets)(?:[/?]|$)/;

/** Whether a person has opened an unknown address: the web UI reports it, with a way back. */
function isUnknownPage({
  is404,
  method,
  url,
  headers,
}: Pick<FastifyRequest, 'is404' | 'method' | 'url' | 'headers'>): boolean {
  const isOpened = method === 'GET' && headers.accept?.includes('text/html') === true;
  return is404 && isOpened && !FOR_PROGRAMS.test(url);
}

/** `admission` checks bodies; fastify's own compilers are a megabyte of unused code. */
function noSchemas(): never {
  throw new Error('a route was given to fastify with a schema of its own');
}

function register(server: FastifyInstance, ports: ServerPorts, id: RouteId, route: Route): void {
  const options: RouteOptions = {
    method: route.method,
    url: route.path,
    bodyLimit: route.bodyLimit ?? SMALL_BODY_BYTES,
    // Before the body is read or its length checked: unknown callers cannot make the daemon parse.
    preParsing: (request, _reply, payload, next) => {
      try {
        assertMayCall(route.access, request.principal);
        next(null, payload);
      } catch (error) {
        next(error as Error);
      }
    },
    handler: handlerOf(ports, id, route),
  };
  if (route.body !== 'bytes') {
    server.route(options);
    return;
  }
  // Uploaded JSON is not parsed.
  void server.register((scope, _, done) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (__, body, parsed) => {
      parsed(null, body);
    });
    scope.route(options);
    done();
  });
}

function handlerOf(ports: ServerPorts, id: RouteId, route: Route): SpecialHandler {
  let known: RouteSchemas | undefined;
  // Built with the first request of the route: building all would take part of the start.
  const schemas = (): RouteSchemas => (known ??= schemasOf(route));
  const admit = admission(route, schemas);
  const special = isPage(id) ? ports.special.page : ports.special[id as keyof SpecialHandlers];
  if (route.carries) {
    return (request, reply) => {
      admit(request);
      return special(request, reply);
    };
  }
  const handle = ports.handlers[id as keyof Handlers] as (call: Call<Route>) => Promise<unknown>;
  return async (request, reply) => {
    admit(request);
    if (route.freshLogin) {
      const code = request.headers['stoa-login-code'];
      const given = typeof code === 'string' ? code : undefined;
      await ports.core.loginCodes.assertFresh(request.principal as Principal, given);
    }
    const answer = await handle({
      by: request.principal as Principal,
      params: request.params as never,
      query: request.query as never,
      headers: headersOf(schemas().headers, request),
      body: request.body as never,
      key: route.retry === 'keyed' ? idempotencyKey(request) : undefined,
    });
    reply.code(route.status);
    if (route.status === 204) return reply.send();
    return reply
      .header('Content-Type', 'application/json; charset=utf-8')
      .send(JSON.stringify(answer));
  };
}

function admission(route: Route, schemas: () => RouteSchemas): (request: FastifyRequest) => void {
  const checksOf = ({ params, query, body }: RouteSchemas) => ({
    params: params && compileCheck(params, 'params'),
    query: query && compileCheck(query, 'query'),
    body: body && compileCheck(body, 'body'),
  });
  let checks: ReturnType<typeof checksOf> | undefined;
  return (request) => {
    assertDecodable(request.url);
    checks ??= checksOf(schemas());
    checks.params?.(request.params);
    checks.query?.(request.query);
    checks.body?.(request.body);
    if (route.body === 'bytes' && !(request.body instanceof Uint8Array)) {
      throw new StoaError(
        'invalid_request',
        `Send between 1 and ${String(route.bodyLimit ?? SMALL_BODY_BYTES)} bytes`,
      );
    }
  };
}

/** The router refuses a path that cannot be decoded, but would accept such a query as written. */
function assertDecodable(url: string): void {
  // The only way for a NUL into a path or a query; some engines cannot store or compare it.
  if (url.includes('%00')) throw new StoaError('invalid_text', 'The address holds a NUL');
  const query = url.indexOf('?');
  if (query === -1) return;
  try {
    decodeURIComponent(url.slice(query));
  } catch (error) {
    throw new StoaError('invalid_text', 'The query is not UTF-8, percent-encoded', [], {
      cause: error,
    });
  }
}

/** The headers that the route names, with its spelling; a missing one is empty, and its handler refuses it. */
function headersOf(
  schema: RouteSchemas['headers'],
  { headers }: FastifyRequest,
): Record<string, string> {
  return Object.fromEntries(
    Object.keys(schema?.shape ?? {}).map((name) => {
      const value = headers[name.toLowerCase()];
      return [name, typeof value === 'string' ? value : ''];
    }),
  );
}

function idempotencyKey(request: FastifyRequest): string | undefined {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key === 'string' && KEY_PATTERN.test(key)) return key;
  throw new StoaError('invalid_request', 'An Idempotency-Key has 1 to 200 printable characters', [
    { path: 'headers.idempotency-key', message: '1 to 200 printable characters' },
  ]);
}

function answerBrokenRequest(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const isTooLarge = error.code === 'HPE_HEADER_OVERFLOW';
  const detail = `The request cannot be read: ${error.message}`;
  const answer = new StoaError(isTooLarge ? 'headers_too_large' : 'invalid_request', detail);
  if (socket.writable) socket.write(rawAnswer(answer));
  socket.destroy();
}

function sendProblem(
  ports: ServerPorts,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const where = { method: request.method, route: request.routeOptions.url };
  const problem = answeredError(error, ports.log, 'a request hit a defect', where).toProblem();
  if (problem.status === 401) reply.header('WWW-Authenticate', 'Bearer');
  return reply
    .code(problem.status)
    .header('Content-Type', 'application/problem+json; charset=utf-8')
    .send(JSON.stringify(problem));
}

/**
 * Reads and discards the rest of a body, within limits: closing while the other side still sends would reset the
 * connection, and the answer would be lost.
 */
function bodyDropped(request: IncomingMessage): Promise<void> {
  if (request.readableEnded || request.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    let bytes = 0;
    const count = (chunk: Buffer): void => {
      bytes += chunk.length;
      if (bytes > DROPPED_BYTES) done();
    };
    const done = (): void => {
      clearTimeout(timer);
      request.off('data', count).off('end', done).off('close', done);
      resolve();
    };
    const timer = setTimeout(done, DROP_MS);
    request.on('data', count).once('end', done).once('close', done).resume();
  });
}
