import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LINE_BYTES, LINE_CHARS, LineReader, type ReadLine } from './line-reader.js';

const START = { offset: 0, isInRest: false };
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const read = (...chunks: (string | Uint8Array)[]): ReadLine[] => {
  const reader = new LineReader(START);
  return chunks.flatMap((chunk) => reader.take(typeof chunk === 'string' ? bytesOf(chunk) : chunk));
};
const whole = (...texts: string[]) => texts.map((text) => ({ text, isCut: false }));

describe('lines', () => {
  it('are complete however the bytes are split, and blank lines are left out', () => {
    expect(read('a', 'b\nc', '\r\n\n  \n', ' d \n', 'e')).toEqual(whole('ab', 'c', ' d'));
  });

  it('T-23 are what a terminal would show: without colours, controls and directions', () => {
    expect(read('\u001b[31mred\u001b[0m\u0007 \u202eevil\u202c\u200b\n')).toEqual(
      whole('red evil'),
    );
    expect(read('10%\r20%\r100%\r\n')).toEqual(whole('100%'));
    expect(read('one\u2028two\n')).toEqual(whole('one two'));
  });

  it('T-23 have replacement characters for bytes that are not UTF-8', () => {
    expect(read(new Uint8Array([0x61, 0xff, 0xc3, 0x0a]))).toEqual(whole('a\ufffd\ufffd'));
  });

  it('T-23 of 5 KB without a newline the first part is one cut line, and the rest is skipped', () => {
    const reader = new LineReader(START);
    const [line, ...more] = reader.take(bytesOf('x'.repeat(5_120)));
    expect(line).toEqual({ text: 'x'.repeat(LINE_CHARS), isCut: true });
    expect(more).toEqual([]);
    expect(reader.position).toEqual({ offset: 5_120, isInRest: true });
    expect(reader.take(bytesOf('yyy\nnext\n'))).toEqual(whole('next'));
  });

  it('T-23 of 1 MB are one line and take no more memory than others', () => {
    const reader = new LineReader(START);
    const chunk = bytesOf('z'.repeat(1_024));
    const lines: ReadLine[] = [];
    let kept = 0;
    for (let count = 0; count < 1_024; count++) {
      lines.push(...reader.take(chunk));
      kept = Math.max(kept, reader.readAt - reader.position.offset);
    }
    lines.push(...reader.take(bytesOf('\nafter\n')));
    expect(lines.map(({ text, isCut }) => [text.length, isCut])).toEqual([
      [LINE_CHARS, true],
      [5, false],
    ]);
    expect(kept).toBeLessThan(LINE_BYTES);
  });

  it('are not cut in the middle of a character', () => {
    const [line] = read(`${'a'.repeat(LINE_CHARS - 1)}😀😀\n`);
    expect(line).toEqual({ text: 'a'.repeat(LINE_CHARS - 1), isCut: true });
    const wide = '€'.repeat(2_000);
    expect(read(wide)).toEqual([{ text: '€'.repeat(Math.floor(LINE_BYTES / 3)), isCut: true }]);
  });

  it('include the last one without a newline', () => {
    const reader = new LineReader(START);
    expect(reader.take(bytesOf('a\nlast'))).toEqual(whole('a'));
    expect(reader.position.offset).toBe(2);
    expect(reader.finish()).toEqual(whole('last'));
    expect(reader.position.offset).toBe(6);
    expect(reader.finish()).toEqual([]);
  });

  it('are the same if another reader resumes at any position', () => {
    const text = fc
      .array(
        fc.oneof(
          fc.string({ unit: 'grapheme' }),
          fc.constant('x'.repeat(5_000)),
          fc.constant('\n'),
        ),
      )
      .map((parts) => parts.join('\n'));
    fc.assert(
      fc.property(text, fc.array(fc.integer({ min: 1, max: 6_000 })), (output, sizes) => {
        const bytes = bytesOf(output);
        const once = new LineReader(START);
        const expected = [...once.take(bytes), ...once.finish()];
        let reader = new LineReader(START);
        const lines: ReadLine[] = [];
        for (const size of sizes) {
          const { readAt } = reader;
          lines.push(...reader.take(bytes.subarray(readAt, readAt + size)));
          reader = new LineReader(reader.position);
        }
        lines.push(...reader.take(bytes.subarray(reader.readAt)), ...reader.finish());
        expect(lines).toEqual(expected);
      }),
      { numRuns: 300 },
    );
  });
});
