import { LIMITS, type Metadata, StoaError } from '@stoa/protocol';

const UNSAFE_KEYS = new Set(['__proto__', 'constructor', 'prototype']);

/** Returns the metadata unchanged. Refuses metadata that is too large or has keys that change how objects behave. */
export function admitMetadata(metadata: Metadata | undefined): Metadata {
  if (!metadata) return {};
  const unsafe = unsafeKey(metadata);
  if (unsafe !== undefined)
    throw new StoaError('invalid_metadata', `The key ${unsafe} is not allowed`);
  if (byteLength(JSON.stringify(metadata)) > LIMITS.metadataBytes) {
    throw new StoaError(
      'invalid_metadata',
      `Metadata is limited to ${String(LIMITS.metadataBytes)} bytes`,
    );
  }
  return metadata;
}

function unsafeKey(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    if (UNSAFE_KEYS.has(key)) return key;
    const deeper = unsafeKey(inner);
    if (deeper !== undefined) return deeper;
  }
  return undefined;
}

const byteLength = (text: string): number => new TextEncoder().encode(text).length;
