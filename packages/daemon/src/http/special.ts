import { createReadStream } from 'node:fs';
import type { Core } from '@stoa/core';
import { type Principal, StoaError } from '@stoa/protocol';
import type { FastifyReply } from 'fastify';
import type { DiskAssetFiles } from '../assets/asset-files.js';
import type { Metrics } from '../observe/metrics.js';
import { expiredCookie, loginCookie } from './credentials-of.js';
import { observing } from './observing.js';
import { homePage, loginFailedPage } from './pages.js';
import type { ServerPorts, SpecialHandler } from './server.js';

export interface SpecialPorts {
  readonly core: Core;
  readonly files: DiskAssetFiles;
  readonly metrics: Metrics;
  readonly events: SpecialHandler;
  readonly mcp: SpecialHandler;
  readonly port: () => number;
  readonly ready: () => boolean;
}

const PAGE_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy':
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
} as const;

/** Routes that carry something other than JSON. */
export function createSpecialHandlers(ports: SpecialPorts): ServerPorts['special'] {
  const { core, files, metrics, events, mcp, port, ready } = ports;
  return {
    healthz: (_, reply) => text(reply, 200, 'ok'),
    readyz: (_, reply) => (ready() ? text(reply, 200, 'ready') : text(reply, 503, 'not ready')),
    async metrics(_, reply) {
      return reply.header('Content-Type', metrics.contentType).send(await metrics.render());
    },
    async home(request, reply) {
      const { principal } = request;
      const who =
        principal?.kind === 'human' ? await core.credentials.whoami(principal) : undefined;
      return reply.headers(PAGE_HEADERS).send(homePage(who));
    },
    async login(request, reply) {
      const { code } = request.query as { code: string };
      try {
        const secret = await core.loginCodes.redeem(code);
        return await reply
          .code(303)
          .header('Set-Cookie', loginCookie(port(), secret))
          .header('Location', '/')
          .send();
      } catch (error) {
        if (!(error instanceof StoaError) || error.code !== 'login_code_invalid') throw error;
        if (!request.headers.accept?.includes('text/html')) throw error;
        return reply.code(error.status).headers(PAGE_HEADERS).send(loginFailedPage());
      }
    },
    async logout(request, reply) {
      const principal = request.principal as Principal;
      const own = (await core.credentials.list()).find(
        (credential) =>
          principal.kind === 'human' && credential.credentialId === principal.credentialId,
      );
      if (own?.kind !== 'browser')
        throw new StoaError('forbidden', 'Only a browser login can be logged out');
      await core.credentials.revoke(principal, own.credentialId);
      return reply.code(204).header('Set-Cookie', expiredCookie(port())).send();
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
    observe: observing(core),
    events,
    mcp,
    mcpStream: mcp,
  };
}

const text = (reply: FastifyReply, status: number, body: string): Promise<unknown> =>
  Promise.resolve(
    reply.code(status).header('Content-Type', 'text/plain; charset=utf-8').send(`${body}\n`),
  );
