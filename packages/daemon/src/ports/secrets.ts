import { createHash, randomBytes } from 'node:crypto';
import type { Secrets } from '@stoa/core';

const SECRET_BYTES = 32;

export const secrets: Secrets = {
  generate: () => randomBytes(SECRET_BYTES).toString('base64url'),
  digest: (text) => createHash('sha256').update(text).digest('hex'),
};
