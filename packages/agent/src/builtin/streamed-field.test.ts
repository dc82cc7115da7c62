import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StreamedField } from './streamed-field.js';

const read = (pieces: readonly string[]): string => {
  const field = new StreamedField('content');
  return pieces.map((piece) => field.add(piece)).join('');
};

describe('a streamed field', () => {
  it('is read from pieces of any size, with all escapes of JSON', () => {
    const cuts = fc.array(fc.nat(400), { maxLength: 20 });
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), cuts, fc.boolean(), (content, at, isSpaced) => {
        const json = JSON.stringify({ content }, undefined, isSpaced ? 2 : 0);
        const escaped = json.replace(/[\u0080-\uffff]/g, (character) =>
          isSpaced ? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}` : character,
        );
        const ends = [0, ...at.map((cut) => cut % (escaped.length + 1)), escaped.length].sort(
          (a, b) => a - b,
        );
        const pieces = ends.map((end, i) => escaped.slice(end, ends[i + 1]));
        expect(read(pieces)).toBe(content);
      }),
    );
  });

  it('returns the text so far without an incomplete character', () => {
    expect(read(['{"content":"One\\', ''])).toBe('One');
    expect(read(['{"content":"One\\u00', 'e4"}'])).toBe('Oneä');
    expect(read(['{"con'])).toBe('');
  });

  it('returns nothing from other JSON', () => {
    expect(read(['{"reason":"', 'no', '"}'])).toBe('');
    expect(read(['{"content":["a"]}'])).toBe('');
    expect(read(['{"content":"a\\qbcdefgh","content":"b'])).toBe('a');
    expect(read(['{"content":"a"', ',"more":"b"}'])).toBe('a');
  });
});
