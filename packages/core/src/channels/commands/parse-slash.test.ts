import { describe, expect, it } from 'vitest';
import { parseSlash } from './parse-slash.js';

describe('a text that begins with a slash', () => {
  it.each([
    ['/who', 'who', ''],
    ['/Who  ', 'who', ''],
    ['/cancel the Baker ', 'cancel', 'the Baker'],
    ['/clear\nbaker', 'clear', 'baker'],
    ['/', '', ''],
    ['/etc/passwd is broken', 'etc/passwd', 'is broken'],
  ])('%j is a command', (text, name, rest) => {
    expect(parseSlash(text)).toEqual({ type: 'command', name, rest });
  });

  it('is not a command if it begins with two slashes', () => {
    expect(parseSlash('//who is there')).toEqual({ type: 'text', text: '/who is there' });
    expect(parseSlash('///')).toEqual({ type: 'text', text: '//' });
  });

  it.each(['who', ' /who', 'either/or', ''])('%j is not a command', (text) => {
    expect(parseSlash(text)).toBeUndefined();
  });
});
