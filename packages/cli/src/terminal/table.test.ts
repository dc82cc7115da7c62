import { describe, expect, it } from 'vitest';
import { table } from './table.js';
import { displayWidth, shorten } from './width.js';

const plain = { width: undefined, heading: (text: string) => text };

describe('table', () => {
  it('aligns columns, numbers to the right, and leaves no trailing space', () => {
    const text = table(
      [{ title: 'CHANNEL' }, { title: 'UNREAD', align: 'right' }, { title: 'TITLE' }],
      [
        ['general', '3', 'General'],
        ['a', '1000', ''],
      ],
      plain,
    );
    expect(text.split('\n')).toEqual([
      'CHANNEL  UNREAD  TITLE',
      'general       3  General',
      'a          1000',
    ]);
  });

  it('aligns by what a terminal shows, not by code units', () => {
    const columns = [{ title: 'NAME' }, { title: 'X' }];
    const rows = [
      ['日本', '1'],
      ['é́', '2'],
      ['👍', '3'],
    ];
    const lines = table(columns, rows, plain).split('\n');
    expect(new Set(lines.map((line) => displayWidth(line)))).toEqual(new Set([7]));
  });

  it('cuts lines to the width of the terminal', () => {
    const text = table([{ title: 'T' }], [['a long title']], { ...plain, width: 6 });
    expect(text.split('\n')[1]).toBe('a lon…');
  });
});

describe('displayWidth', () => {
  it.each([
    ['✅', 2],
    ['⌚', 2],
    ['❤️', 2],
    ['❤', 1],
    ['1️⃣', 2],
    ['12#', 3],
    ['©', 1],
    ['🇩🇪', 2],
    ['👩🏽‍💻', 2],
    ['👨‍👩‍👧', 2],
    ['日本', 4],
    ['a\ufe0f', 1],
    ['é', 1],
    ['e\u0301', 1],
    ['ﾊ', 1],
    ['ﬀ', 1],
    ['ក្ស', 2],
  ])('gives %s %i cells', (text, cells) => {
    expect(displayWidth(text)).toBe(cells);
  });
});

describe('shorten', () => {
  it('does not cut an emoji in two', () => {
    expect(shorten('👩🏽‍💻👩🏽‍💻👩🏽‍💻', 5)).toBe('👩🏽‍💻👩🏽‍💻…');
  });

  it('never exceeds the width, also with wide characters', () => {
    expect(shorten('日本語', 4)).toBe('日…');
    expect(shorten('abc', 3)).toBe('abc');
  });
});
