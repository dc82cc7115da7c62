import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { printable, printableJson, printableLine } from './printable.js';

const OBEYED = /[^\P{Cc}\n\t]|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;

/** Lone surrogates included, control characters often. */
const anyText = fc
  .array(fc.oneof(fc.nat({ max: 0xff }), fc.nat({ max: 0xffff })))
  .map((units) => String.fromCharCode(...units));

describe('printable', () => {
  it('shows escape sequences instead of sending them to the terminal', () => {
    expect(printable('\u001b]0;pwned\u0007 \u001b[2J \u009b31m \u007f')).toBe(
      '␛]0;pwned␇ ␛[2J \\u009b31m ␡',
    );
  });

  it('shows marks that would turn the direction of the text', () => {
    expect(printable('abc\u202edef\u2066')).toBe('abc\\u202edef\\u2066');
  });

  it('keeps line breaks, tabs, accents, CJK and joined emoji', () => {
    const text = 'line\n\tnaïve 日本語 👩‍👩‍👧';
    expect(printable(text)).toBe(text);
    expect(printable('a\r\nb\rc')).toBe('a\nb␍c');
  });

  it('leaves no control sequence in any text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(OBEYED.test(printable(text))).toBe(false);
        expect(/[\n\t]/.test(printableLine(text))).toBe(false);
      }),
    );
  });

  it('puts the lines of a name or title on one', () => {
    expect(printableLine('Bob\n12:00 alice: I agree')).toBe('Bob ⏎ 12:00 alice: I agree');
  });
});

describe('printableJson', () => {
  it('is harmless and still the same data', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const json = printableJson({ text, key: [text] }, 2);
        expect(OBEYED.test(json)).toBe(false);
        expect(JSON.parse(json)).toEqual({ text, key: [text] });
      }),
    );
  });
});
