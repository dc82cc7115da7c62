import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Secrets } from '@stoa/core';

const SECRET_BYTES = 32;

export const secrets: Secrets = {
  generate: () => randomBytes(SECRET_BYTES).toString('base64url'),
  digest: (text) => createHash('sha256').update(text).digest('hex'),
  sign: (secret, parts) => hmacOf(secret, parts).toString('hex'),
  verifies(secret, signed, signature) {
    const expected = hmacOf(secret, signed);
    const given = Buffer.from(signature, 'hex');
    return given.length === expected.length && timingSafeEqual(given, expected);
  },
};

function hmacOf(secret: string, parts: readonly (string | Uint8Array)[]): Buffer {
  const hmac = createHmac('sha256', secret);
  for (const part of parts) hmac.update(part);
  return hmac.digest();
}
