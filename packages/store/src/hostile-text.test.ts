import { type Reader, slowReadings } from '@stoa/testkit';
import { describe, expect, it } from 'vitest';
import { matches, parseQuery } from './search/search-query.js';
import { tokensOf } from './search/search-tokens.js';

const QUERY_CHARS = 1_000;

const READERS: Readonly<Record<string, Reader>> = {
  'a search query': (text) => parseQuery(text.slice(0, QUERY_CHARS)),
  'a message that is indexed': tokensOf,
  'a message that is searched': (text) => matches(parseQuery('a "b c" d*'), text),
};

describe('text of others that the search reads', () => {
  it.each(Object.entries(READERS))(
    'SE-48 %s takes time in proportion to the text',
    async (_, read) => {
      expect(await slowReadings(read)).toEqual([]);
    },
  );
});
