import { createHash } from 'node:crypto';
import { stableJson } from '@stoa/core';

/** What an approval is bound to: equal arguments give equal hashes, however they were written. */
export function inputHash(input: unknown): string {
  return createHash('sha256').update(stableJson(input)).digest('hex');
}
