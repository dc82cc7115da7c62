import { createHash } from 'node:crypto';

/** Thinking is signed, and the model accepts back only its own. */
export function signatureOf(thinking: string): string {
  return createHash('sha256').update(`fake-model:${thinking}`).digest('base64');
}
