import { type Reader, slowReadings } from '@stoa/testkit';
import { describe, expect, it } from 'vitest';
import { fenced } from './acp/prompt-input.js';
import { parseDuration } from './durations.js';
import { printable, printableJson, printableLine } from './terminal/printable.js';
import { titleOf } from './terminal/title.js';
import { folded, shorten } from './terminal/width.js';

const READERS: Readonly<Record<string, Reader>> = {
  'a message in the terminal': printable,
  'a name in the terminal': printableLine,
  'JSON in the terminal': printableJson,
  'a title': titleOf,
  'a long line that is folded': (text) => folded(text, 80),
  'a long line that is cut': (text) => shorten(text, 80),
  'a file in a fence': (text) => fenced(text),
  'a duration': parseDuration,
};

describe('text of others that the terminal reads', () => {
  it.each(Object.entries(READERS))(
    'SE-48 %s takes time in proportion to the text',
    async (_, read) => {
      expect(await slowReadings(read)).toEqual([]);
    },
  );
});
