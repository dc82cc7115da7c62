import { createHash, createHmac } from 'node:crypto';
import type { Secrets } from '@stoa/core';
import type { SeededRandom } from './random.js';

const CHARS = 43;
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** As long as real secrets and as easy to guess as the seed; the digest is the real one. */
export function virtualSecrets(random: SeededRandom): Secrets {
  return {
    generate() {
      let text = '';
      for (let i = 0; i < CHARS; i++) text += ALPHABET.charAt(random.below(ALPHABET.length));
      return text;
    },
    digest: (text) => createHash('sha256').update(text).digest('hex'),
    sign,
    verifies: (secret, signed, signature) => sign(secret, signed) === signature,
  };
}

function sign(secret: string, parts: readonly (string | Uint8Array)[]): string {
  const hmac = createHmac('sha256', secret);
  for (const part of parts) hmac.update(part);
  return hmac.digest('hex');
}
