import { describe, expect, it } from 'vitest';
import { directed } from './directed.js';

const text = (value: string) => ({ type: 'text', value });
const element = (tagName: string, ...children: readonly object[]) => ({
  type: 'element',
  tagName,
  properties: {} as Record<string, unknown>,
  children: children as readonly { readonly type: string }[],
});

describe('the direction of a text', () => {
  it('is that of its first letter, block by block', () => {
    const [arabic, hebrew, latin, none] = [
      element('p', text('1. مرحبا world')),
      element('h1', element('strong', text('שלום'))),
      element('p', text('hello مرحبا')),
      element('p', text('123')),
    ];
    directed()({ type: 'root', children: [arabic, hebrew, latin, none] });
    const directions = [arabic, hebrew, latin, none].map(({ properties }) => properties['dir']);
    expect(directions).toEqual(['rtl', 'rtl', 'ltr', undefined]);
  });

  it('holds for a list and a quote too, and code says nothing about it', () => {
    const second = element('li', text('one'));
    const list = element('ul', element('li', element('pre', text('npm')), text('مرحبا')), second);
    const quote = element('blockquote', element('p', text('שלום')));
    directed()({ type: 'root', children: [list, quote] });
    expect(list.properties['dir']).toBe('rtl');
    expect(second.properties['dir']).toBe('ltr');
    expect(quote.properties['dir']).toBe('rtl');
  });
});
