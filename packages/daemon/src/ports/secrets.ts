import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Secrets } from '@stoa/core';

const SECRET_BYTES = 32;

export const secrets: Secrets = {
  generate: () => randomBytes(SECRET_BYTES).toString('base64url'),
  digest: (text) => createHash('sha256').update(text).digest('hex'),
  verifies(secret, signed, signature) {
    const hmac = createHmac('sha256', secret);
    for (const part of signed) hmac.update(part);
    const expected = hmac.digest();
    const given = Buffer.from(signature, 'hex');
    return given.length === expected.length && timingSafeEqual(given, expected);
  },
};
