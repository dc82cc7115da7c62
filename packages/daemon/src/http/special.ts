import { createReadStream } from 'node:fs';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Core } from '@stoa/core';
import * as protocol from '@stoa/protocol';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { DiskAssetFiles } from '../assets/asset-files.js';
import type { Metrics } from '../observe/metrics.js';
import { loginFailedPage, loginNotOpenedPage, notBuiltPage, withLogin } from './pages.js';
import type { ServerPorts, SpecialHandler } from './server.js';
import type { WebFiles } from './web-files.js';

export interface SpecialPorts {
  readonly core: Core;
  readonly files: DiskAssetFiles;
  readonly web: WebFiles;
  readonly metrics: Metrics;
  readonly events: SpecialHandler;
  readonly mcp: SpecialHandler;
  readonly ready: () => boolean;
  readonly version: string;
}

const PAGE_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy':
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
} as const;

/** What the web UI needs and nothing more: its own files, its own daemon, inline pictures. */
const WEB_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  // It contains the names of the scripts, so a new build must be visible immediately.
  'Cache-Control': 'no-cache',
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; '),
  'Referrer-Policy': 'no-referrer',
  // A page elsewhere that opened this window keeps no reference to it.
  'Cross-Origin-Opener-Policy': 'same-origin',
} as const;

/** The routes with special handlers: they need the raw request, or answer with something other than JSON. */
export function createSpecialHandlers(ports: SpecialPorts): ServerPorts['special'] {
  const { core, files, metrics, events, mcp, ready, version, web } = ports;
  return {
    healthz: (_, reply) => text(reply, 200, 'ok'),
    readyz: (_, reply) => (ready() ? text(reply, 200, 'ready') : text(reply, 503, 'not ready')),
    async metrics(_, reply) {
      return reply.header('Content-Type', metrics.contentType).send(await metrics.render());
    },
    page: webPage(web),
    async webAsset(request, reply) {
      const { file } = request.params as { file: string };
      const accepted = request.headers['accept-encoding'] ?? '';
      const asset = await web.asset(file, /\bgzip\b/.test(accepted));
      if (!asset) throw new protocol.StoaError('route_not_found');
      if (asset.isZipped) reply.header('Content-Encoding', 'gzip');
      return reply
        .headers({
          'Content-Type': asset.type,
          'Cache-Control': 'public, max-age=31536000, immutable',
          Vary: 'Accept-Encoding',
        })
        .send(asset.bytes);
    },
    async login(request, reply) {
      const { code } = request.query as { code: string };
      // A person opens the link directly. If one of our pages leads here, it follows a link that somebody wrote.
      const site = request.headers['sec-fetch-site'];
      if (site !== undefined && site !== 'none') {
        return reply.code(403).headers(PAGE_HEADERS).send(loginNotOpenedPage());
      }
      try {
        const asked = await core.loginCodes.ask(code);
        const built = web.page();
        if (!built) return await reply.headers(PAGE_HEADERS).send(notBuiltPage());
        return await reply
          .headers({ ...WEB_HEADERS, 'Cache-Control': 'no-store' })
          .send(withLogin(built.toString(), { ...asked, code }));
      } catch (error) {
        if (!(error instanceof protocol.StoaError) || error.code !== 'login_code_invalid')
          throw error;
        if (!request.headers.accept?.includes('text/html')) throw error;
        return reply.code(error.status).headers(PAGE_HEADERS).send(loginFailedPage());
      }
    },
    async readAsset(request, reply) {
      const { assetId } = request.params as { assetId: string };
      const asset = await core.assets.get(assetId);
      return reply
        .headers({
          'Content-Type': asset.mediaType,
          'Content-Length': asset.bytes,
          'Content-Disposition': 'attachment',
          'Content-Security-Policy': "default-src 'none'; sandbox",
        })
        .send(createReadStream(files.pathOf(asset.digest)));
    },
    openapi: openApiHandler(version),
    events,
    mcp,
    mcpStream: mcp,
  };
}

/** The same page for every address and everybody: it contains no data, and requests it with its login. */
function webPage(web: WebFiles): SpecialHandler {
  return (_: FastifyRequest, reply: FastifyReply) => {
    const page = web.page();
    return Promise.resolve(
      page
        ? reply.headers(WEB_HEADERS).send(page)
        : reply.headers(PAGE_HEADERS).send(notBuiltPage()),
    );
  };
}

const text = (reply: FastifyReply, status: number, body: string): Promise<unknown> =>
  Promise.resolve(
    reply.code(status).header('Content-Type', 'text/plain; charset=utf-8').send(`${body}\n`),
  );

const compress = promisify(gzip);

/** Builds the document when it is first requested: that takes a fifth of the time of a start. */
function openApiHandler(version: string): SpecialHandler {
  let document: string | undefined;
  let compressed: Promise<Buffer> | undefined;
  return async (request, reply) => {
    document ??= JSON.stringify(protocol.openApiDocument({ version, schemas: protocol }));
    reply.type('application/json').header('Vary', 'Accept-Encoding');
    if (!acceptsGzip(request.headers['accept-encoding'])) return reply.send(document);
    compressed ??= compress(document);
    return reply.header('Content-Encoding', 'gzip').send(await compressed);
  };
}

function acceptsGzip(accepted: string | string[] | undefined): boolean {
  return /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:\s*,|\s*$))/.test(String(accepted ?? ''));
}
