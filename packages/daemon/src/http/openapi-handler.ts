import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import * as protocol from '@stoa/protocol';
import type { FastifyReply, FastifyRequest } from 'fastify';

const compress = promisify(gzip);

/** The document is made when it is first asked for: that takes a fifth of the time of a start. */
export function openApiHandler(
  version: string,
): (request: FastifyRequest, reply: FastifyReply) => Promise<unknown> {
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
