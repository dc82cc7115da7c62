import type { Secrets } from '../ports.js';

const DIGEST_CHARS = 40;

/** One memory for each person and namespace: sessions of different people do not share notes. */
export function memoryIdOf(secrets: Secrets, ownerId: string, namespace: string): string {
  const digest = secrets.digest(JSON.stringify([ownerId, namespace]));
  return `mem_${digest.slice(0, DIGEST_CHARS)}`;
}
