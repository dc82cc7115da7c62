import { describe, expect, it } from 'vitest';
import { StreamScrubber, scrubber, scrubJson } from './scrub.js';

const SECRETS = ['sk-abcdef', 'a "quoted"\nkey', 'sk-abcdef-longer'];

describe('secrets', () => {
  it('are removed as plain text, in URLs and in JSON', () => {
    const scrub = scrubber(SECRETS);
    expect(scrub('sk-abcdef-longer, sk-abcdef')).toBe('[secret], [secret]');
    expect(scrub(JSON.stringify({ a: SECRETS[1] }))).toBe('{"a":"[secret]"}');
    expect(scrub(`?key=${encodeURIComponent(SECRETS[1] ?? '')}`)).toBe('?key=[secret]');
  });

  it('are removed from every text of a value', () => {
    const value = { 'sk-abcdef': ['x sk-abcdef', 1, null, { a: 'sk-abcdef' }] };
    expect(scrubJson(scrubber(SECRETS), value)).toEqual({
      '[secret]': ['x [secret]', 1, null, { a: '[secret]' }],
    });
  });

  it('are removed from a text in pieces of any size', () => {
    const text = 'sk-a is none, sk-abcdef is one, sk-abcdef-longer too: sk-abc';
    for (let size = 1; size <= text.length; size++) {
      const stream = new StreamScrubber(() => SECRETS);
      const shown: string[] = [];
      for (let at = 0; at < text.length; at += size)
        shown.push(stream.add(text.slice(at, at + size)));
      shown.push(stream.end());
      expect(shown.join('')).not.toContain('bcdef');
      expect(shown.join('')).toMatch(
        /^sk-a is none, \[secret\] is one, .*\[secret\].* too: sk-abc$/,
      );
    }
  });

  it('delay no text that cannot be the start of one', () => {
    const stream = new StreamScrubber(() => SECRETS);
    expect(stream.add('hello ')).toBe('hello ');
    expect(stream.add('world')).toBe('world');
    expect(stream.end()).toBe('');
  });
});
