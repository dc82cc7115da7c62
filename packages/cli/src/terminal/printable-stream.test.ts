import { describe, expect, it } from 'vitest';
import { printable } from './printable.js';
import { PrintableStream } from './printable-stream.js';

/** Every way to cut the text in two. */
function cuts(text: string): string[] {
  return Array.from({ length: text.length + 1 }, (_, at) => {
    const stream = new PrintableStream();
    return stream.write(text.slice(0, at)) + stream.write(text.slice(at)) + stream.end();
  });
}

describe('PrintableStream', () => {
  it.each([
    'two\r\nlines',
    'a smile 😀 in the middle',
    'escape \u001b[2J and \u009b31m',
    'a lone half \ud83d',
    'a lone return \r',
  ])('gives the same wherever %j is cut', (text) => {
    expect(new Set(cuts(text))).toEqual(new Set([printable(text)]));
  });
});
