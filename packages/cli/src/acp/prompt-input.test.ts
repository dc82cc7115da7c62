import { LIMITS } from '@stoa/protocol';
import { describe, expect, it } from 'vitest';
import { fenced, inputItemsOf, TEXT_CHARS } from './prompt-input.js';

describe('what an editor puts into a prompt', () => {
  it('has the limit of the contract, and longer text is several items that join to the same', () => {
    expect(TEXT_CHARS).toBe(LIMITS.textChars);
    const text = `${'a'.repeat(TEXT_CHARS - 1)}😀${'b'.repeat(TEXT_CHARS)}`;
    const items = inputItemsOf([{ type: 'text', text }]);
    const texts = items.map((item) => (item.type === 'text' ? item.text : ''));
    expect(texts.map(({ length }) => length)).toEqual([TEXT_CHARS - 1, TEXT_CHARS, 2]);
    expect(texts.join('')).toBe(text);
    expect(texts.every((each) => each.isWellFormed())).toBe(true);
  });

  it('keeps pictures and bytes where they stood', () => {
    const resource = { uri: 'file:///tmp/x.bin', blob: 'AAEC' };
    expect(
      inputItemsOf([
        { type: 'text', text: 'one' },
        { type: 'image', data: 'iVBO', mimeType: 'image/png' },
        { type: 'text', text: 'two' },
        { type: 'resource', resource },
      ]),
    ).toEqual([
      { type: 'text', text: 'one' },
      { type: 'inline_asset', data: 'iVBO' },
      { type: 'text', text: 'two' },
      { type: 'inline_asset', data: 'AAEC', name: 'x.bin' },
    ]);
  });

  it('fences text so that the text cannot end its fence', () => {
    expect(fenced('a\n````\nb')).toBe('`````\na\n````\nb\n`````');
    expect(fenced('+x\n', 'diff')).toBe('```diff\n+x\n```');
  });
});
