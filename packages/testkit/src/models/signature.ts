import { createHash } from 'node:crypto';

/** Thinking comes back signed, and only what the model itself thought is taken back. */
export function signatureOf(thinking: string): string {
  return createHash('sha256').update(`fake-model:${thinking}`).digest('base64');
}
