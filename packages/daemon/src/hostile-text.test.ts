import { type Reader, slowReadings } from '@stoa/testkit';
import { describe, expect, it } from 'vitest';
import { sniffMediaType } from './assets/sniff.js';
import { parsePositions } from './live/positions.js';
import { redacted } from './observe/redact.js';

const READERS: Readonly<Record<string, Reader>> = {
  'an upload': (text) => sniffMediaType(Buffer.from(text)),
  'what is logged': redacted,
  'positions in a stream': (text) => parsePositions(text, ['channel:a']),
};

describe('text of others that the daemon reads', () => {
  it.each(Object.entries(READERS))(
    'SE-48 %s takes time in proportion to the text',
    async (_, read) => {
      expect(await slowReadings(read)).toEqual([]);
    },
  );
});
