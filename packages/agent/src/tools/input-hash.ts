import { createHash } from 'node:crypto';
import { stableJson } from '@stoa/core';

/** An approval is bound to this hash. Equal arguments have equal hashes, in any order of their keys. */
export function inputHash(input: unknown): string {
  return createHash('sha256').update(stableJson(input)).digest('hex');
}
