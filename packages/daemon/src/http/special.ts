import { createReadStream } from 'node:fs';
import type { Core } from '@stoa/core';
import { StoaError } from '@stoa/protocol';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { DiskAssetFiles } from '../assets/asset-files.js';
import type { Metrics } from '../observe/metrics.js';
import { openApiHandler } from './openapi-handler.js';
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

/** What the web UI needs and nothing more: its own files, its own daemon, pictures that it holds itself. */
const WEB_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  // The names of the scripts are in it: a new build must be seen at once.
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
  // Who opened its window by a link from elsewhere keeps no hold of it.
  'Cross-Origin-Opener-Policy': 'same-origin',
} as const;

/** The routes with handlers of their own: they need the raw request, or answer with something other than JSON. */
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
      if (!asset) throw new StoaError('route_not_found');
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
      // A person opens the link directly. A page of ours that leads here follows a link that somebody wrote.
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
        if (!(error instanceof StoaError) || error.code !== 'login_code_invalid') throw error;
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

/** The same for every address in it and for everybody: it holds no data, and asks for it with its login. */
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
