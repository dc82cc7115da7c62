import { isUtf8 } from 'node:buffer';
import { type HeadersOf, type Routes, StoaError } from '@stoa/protocol';
import { parseJsonBody } from './json-body.js';

const SIGNATURE = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/;
const DELIVERY = /^[\x21-\x7e]{1,200}$/;

/** An observation has no token: its signature covers the bytes as received, before they are parsed. */
export function deliveryOf(
  sourceId: string,
  headers: HeadersOf<Routes['observe']>,
  bytes: Uint8Array,
) {
  const { 'Stoa-Delivery': deliveryId, 'Stoa-Signature': signed } = headers;
  if (!DELIVERY.test(deliveryId)) {
    throw new StoaError('invalid_request', 'Stoa-Delivery has 1 to 200 printable characters', [
      { path: 'headers.stoa-delivery', message: '1 to 200 printable characters' },
    ]);
  }
  const [, signedAt, signature] = SIGNATURE.exec(signed) ?? [];
  if (signedAt === undefined || signature === undefined) {
    throw new StoaError('observation_refused');
  }
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return { sourceId, deliveryId, signedAt, signature, body, payload: () => payloadOf(body) };
}

/** JSON if it is JSON; a body that only looks like it is text. */
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
