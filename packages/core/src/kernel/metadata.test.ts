import { LIMITS } from '@stoa/protocol';
import { describe, expect, it } from 'vitest';
import { admitMetadata } from './metadata.js';

describe('caller metadata', () => {
  it('is kept as given', () => {
    const metadata = { a: [1, { b: null }], 'any key': 'x' };
    expect(admitMetadata(metadata)).toBe(metadata);
    expect(admitMetadata(undefined)).toEqual({});
  });

  it('is limited in bytes, not in characters', () => {
    const fits = 'x'.repeat(LIMITS.metadataBytes - '{"a":""}'.length);
    expect(() => admitMetadata({ a: fits })).not.toThrow();
    expect(() => admitMetadata({ a: `${fits}x` })).toThrow('limited');
    expect(() => admitMetadata({ a: '部'.repeat(LIMITS.metadataBytes / 2) })).toThrow('limited');
  });

  it('may not hold a key that changes how objects behave, at any depth', () => {
    for (const key of ['__proto__', 'constructor', 'prototype']) {
      const metadata = JSON.parse(`{"a":[{"${key}":1}]}`) as Record<string, never>;
      expect(() => admitMetadata(metadata)).toThrow(key);
    }
  });
});
