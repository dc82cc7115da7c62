import { expect, it } from 'vitest';
import { TerminalText } from './terminal-text.js';

function shown(...pieces: readonly string[]): string {
  const text = new TerminalText();
  for (const piece of pieces) text.write(piece);
  return text.text;
}

it('colours, titles and movements are left out, also when they come in two pieces', () => {
  expect(shown('\u001b[1;31mred\u001b[0m and \u001b]0;title\u0007plain\u001b(B')).toBe(
    'red and plain',
  );
  expect(shown('a\u001b', '[3', '2mb\u001b]0;ti', 'tle\u001b', '\\c')).toBe('abc');
});

it('a line that is written over keeps what was written last', () => {
  expect(shown('one\r\n10 %\r50 %\r', '100 %\ndone\r', '\n')).toBe('one\n100 %\ndone\n');
});

it('characters that would reorder or hide text are left out', () => {
  expect(shown('a\u0000\u0008b\u202ec\tdé')).toBe('abc\tdé');
});

it('what never ends is bounded, and begins with a whole line', () => {
  const text = new TerminalText();
  for (let line = 0; line < 30_000; line += 1) text.write(`line ${line}\n`);
  expect(text.isCut).toBe(true);
  expect(text.text.length).toBeLessThanOrEqual(131_072);
  expect(text.text).toMatch(/^line \d+\n/);
  expect(text.text.endsWith('line 29999\n')).toBe(true);
});
