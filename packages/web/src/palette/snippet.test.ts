import { describe, expect, it } from 'vitest';
import { snippetOf } from './snippet.js';

const shown = (text: string, query: string): string =>
  snippetOf(text, query)
    .map((piece) => (piece.isHit ? `[${piece.text}]` : piece.text))
    .join('');

describe('what is shown of a message that was found', () => {
  it('has every hit marked, ignoring case', () => {
    expect(shown('The Quince is ripe,\nthe quinces too.', 'quince')).toBe(
      'The [Quince] is ripe, the [quince]s too.',
    );
    expect(shown('ripe is the quince', 'quince ripe')).toBe('[ripe] is the [quince]');
  });

  it('begins shortly before the first hit, at a word', () => {
    const text = `${'word '.repeat(100)}and then the quince ${'word '.repeat(100)}`;
    expect(shown(text, 'quince')).toMatch(/^…word word and then the \[quince\] word/);
    expect(shown(text, 'quince').length).toBeLessThan(220);
  });

  it('begins where the most of the query is close together', () => {
    const text = Array.from({ length: 60 }, (_, i) => `tall ${i}`).join('\n');
    expect(shown(text, 'tall 30')).toContain('[tall] 29 [tall] [30] [tall] 31');
    const line = snippetOf(text, 'tall 30').map((piece) => piece.text);
    expect(line.join('').indexOf('30')).toBeLessThan(60);
  });

  it('marks the beginnings of words, and parts only where no word begins so', () => {
    expect(shown('cart art', 'art')).toBe('cart [art]');
    expect(shown('部署成功了', '成功')).toBe('部署[成功]了');
  });

  it('is the beginning of a text that has been found by something else', () => {
    expect(shown('nothing of that', '***')).toBe('nothing of that');
    expect(shown('', 'x')).toBe('');
  });
});
