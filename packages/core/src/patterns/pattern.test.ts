import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Budget, Pattern } from './pattern.js';
import { PatternProblem } from './pattern-syntax.js';

class Counter implements Budget {
  steps = 0;
  spend(steps: number): void {
    this.steps += steps;
  }
}

const exec = (source: string, text: string) => new Pattern(source).exec(text, new Counter());
const native = (source: string, text: string) => {
  const match = new RegExp(source, 'iu').exec(text);
  return match ? [...match] : undefined;
};

describe('a pattern', () => {
  it.each([
    ['^add (\\d+) and (\\d+)$', 'Add 12 and 345'],
    ['\\b(hello|hi|hey)\\b', 'oh, hi there'],
    ['\\Bhi', 'this hi'],
    ['(a+?)(a*)', 'baaa'],
    ['(?:(a)|(b))+', 'abab'],
    ['a{2,3}b{2}c{1,}', 'aaaabbccc'],
    ['x|', 'y'],
    ['[^a-c\\]\\s]+', 'ab] zZ]'],
    ['\\u{1F600}.\\x41', '😀😀a'],
    ['\\ud83d\\ude00', '😀'],
    ['\\p{Lu}\\.', 'ß.'],
    ['(a|ab)(c|bcd)(d*)', 'abcd'],
    ['straße', 'STRAßE'],
    ['[k]', '\u212A'],
    ['$^', ''],
    ['a.c', 'a\nc'],
    ['(ab|a)??b', 'ab'],
  ])('%s matches in %j as a regular expression does', (source, text) => {
    expect(exec(source, text)).toEqual(native(source, text));
  });

  it.each([
    ['(a)\\1', 'refers to a group'],
    ['(?=a)b', 'lookahead'],
    ['(?<!a)b', 'lookahead or lookbehind'],
    ['(?<n>a)', 'no names'],
    ['(a*)*', 'must not match the empty text'],
    ['(?:a|b?)+', 'must not match the empty text'],
    ['(?:(?:a{99}){99}){99}', 'too large'],
    ['()'.repeat(21), 'more than 20 groups'],
    ['(', 'Unterminated group'],
  ])('%s is refused', (source, why) => {
    expect(() => new Pattern(source)).toThrow(PatternProblem);
    expect(() => new Pattern(source)).toThrow(why);
  });

  const { source: sources } = fc.letrec<{ source: string; term: string; atom: string }>((tie) => ({
    atom: fc.constantFrom('a', 'B', '[ab]', '[^a]', '.', '\\w', '\\b', '^', '$'),
    term: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      tie('atom'),
      tie('source').map((body) => `(${body})`),
      tie('source').map((body) => `(?:${body})`),
      fc
        .tuple(tie('source'), fc.constantFrom('*', '+', '?', '{2}', '{1,3}', '{2,}', '*?', '+?'))
        .map(([body, often]) => `(${body})${often}`),
    ),
    source: fc
      .array(fc.array(tie('term'), { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 2 })
      .map((options) => options.map((terms) => terms.join('')).join('|')),
  }));
  const texts = fc.string({ unit: fc.constantFrom('a', 'b', 'A', ' '), maxLength: 12 });

  const taken = (source: string): Pattern | undefined => {
    try {
      return new Pattern(source);
    } catch (error) {
      if (error instanceof PatternProblem) return undefined;
      throw error;
    }
  };

  it('finds the same match and groups as a regular expression', () => {
    fc.assert(
      fc.property(sources, texts, (source, text) => {
        const pattern = taken(source);
        fc.pre(pattern !== undefined);
        expect(pattern.exec(text, new Counter())).toEqual(native(source, text));
      }),
      { numRuns: 500 },
    );
  });

  it('takes at most two steps for each instruction and character, for any text', () => {
    const hostile = fc.constantFrom(
      '(a+)+$',
      '(a|a)+$',
      '(a|aa)+$',
      '(.+.+)+x',
      '((a+)+)+$',
      `${'(a|b)?'.repeat(18)}$`,
      '(?:(?:a{1,9}){1,9}){1,3}$',
    );
    fc.assert(
      fc.property(fc.oneof(hostile, sources), fc.nat(400), (source, length) => {
        const pattern = taken(source);
        fc.pre(pattern !== undefined);
        const counter = new Counter();
        pattern.exec(`${'a'.repeat(length)}!`, counter);
        expect(counter.steps).toBeLessThanOrEqual(2 * pattern.size * (length + 2));
      }),
      { numRuns: 200 },
    );
  });
});
