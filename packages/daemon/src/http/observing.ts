import { isUtf8 } from 'node:buffer';
import type { Core } from '@stoa/core';
import { ROUTES, StoaError } from '@stoa/protocol';
import type { FastifyRequest } from 'fastify';
import { parseJsonBody } from './json-body.js';
import type { SpecialHandler } from './server.js';

const SIGNATURE = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/;
const DELIVERY = /^[\x21-\x7e]{1,200}$/;

/** What somebody without a token tells: the signature is over the bytes as they came, before they are read. */
export function observing(core: Core): SpecialHandler {
  return async (request, reply) => {
    const { sourceId } = request.params as { sourceId: string };
    const body = request.body as Buffer;
    const deliveryId = header(request, 'stoa-delivery');
    if (!DELIVERY.test(deliveryId)) {
      throw new StoaError('invalid_request', 'Stoa-Delivery has 1 to 200 printable characters', [
        { path: 'headers.stoa-delivery', message: '1 to 200 printable characters' },
      ]);
    }
    const [, signedAt, signature] = SIGNATURE.exec(header(request, 'stoa-signature')) ?? [];
    if (signedAt === undefined || signature === undefined) {
      throw new StoaError('observation_refused');
    }
    const payload = () => payloadOf(body);
    const delivery = { sourceId, deliveryId, signedAt, signature, body, payload };
    const observation = await core.observations.receive(delivery);
    return reply
      .code(ROUTES.observe.status)
      .header('Content-Type', 'application/json; charset=utf-8')
      .send(JSON.stringify(observation));
  };
}

function header(request: FastifyRequest, name: string): string {
  const value = request.headers[name];
  return typeof value === 'string' ? value : '';
}

/** JSON where it is JSON; a body that looks like it and is not is text like any other. */
function payloadOf(body: Buffer): { text: string; json?: unknown } {
  if (!isUtf8(body)) throw new StoaError('invalid_text', 'The body is not valid UTF-8');
  const text = body.toString('utf8');
  if (text.includes('\0')) throw new StoaError('invalid_text', 'Text may not hold NUL characters');
  try {
    return { text, json: parseJsonBody(body) };
  } catch (error) {
    if (error instanceof StoaError && error.code === 'invalid_json') return { text };
    throw error;
  }
}
