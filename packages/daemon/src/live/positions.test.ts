import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatPositions, parsePositions } from './positions.js';

const topic = fc.stringMatching(/^(channel|human):[a-z0-9]{1,12}$/);

describe('positions of an event stream', () => {
  it('are parsed as they were formatted', () => {
    fc.assert(
      fc.property(fc.dictionary(topic, fc.nat(), { minKeys: 1, maxKeys: 5 }), (positions) => {
        const map = new Map(Object.entries(positions));
        expect(parsePositions(formatPositions(map), [...map.keys()])).toEqual(map);
      }),
    );
  });

  it('may be a bare number if one topic is followed', () => {
    expect(parsePositions('12', ['channel:lobby'])).toEqual(new Map([['channel:lobby', 12]]));
  });

  it.each(['x', 'channel:lobby', 'channel:lobby=', 'channel:lobby=-1', 'lobby=3', '12'])(
    'refuse %j',
    (text) => {
      expect(() => parsePositions(text, ['channel:a', 'channel:b'])).toThrow('A position is');
    },
  );
});
