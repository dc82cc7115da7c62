import { LIMITS, StoaError } from '@stoa/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJsonBody } from './json-body.js';

const codeOf = (body: Buffer): string => {
  try {
    parseJsonBody(body);
    return 'accepted';
  } catch (error) {
    return error instanceof StoaError ? error.code : String(error);
  }
};
const text = (json: string): Buffer => Buffer.from(json, 'utf8');
const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

describe('a JSON body', () => {
  it('is unchanged for any valid JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        fc.pre(!JSON.stringify(value).includes('\\u'));
        expect(parseJsonBody(text(JSON.stringify(value)))).toEqual(
          JSON.parse(JSON.stringify(value)),
        );
      }),
    );
  });

  it('may be nested up to the limit and no deeper', () => {
    expect(codeOf(text(nested(LIMITS.jsonDepth)))).toBe('accepted');
    expect(codeOf(text(nested(LIMITS.jsonDepth + 1)))).toBe('too_deep');
    expect(codeOf(text(nested(100_000)))).toBe('too_deep');
  });

  it.each([
    ['9007199254740991', 'accepted'],
    ['-9007199254740991', 'accepted'],
    ['[1,{"a":9007199254740993}]', 'invalid_request'],
    ['-9007199254740993', 'invalid_request'],
    ['123456789012345678901234567890', 'invalid_request'],
    ['1152921504606846976', 'accepted'],
    ['9'.repeat(100_000), 'invalid_request'],
    ['"9007199254740993"', 'accepted'],
    ['0.12345678901234567890', 'accepted'],
    ['1.5e300', 'accepted'],
    ['1e300000', 'accepted'],
  ])('accepts %s only if it stays the same number', (json, outcome) => {
    expect(codeOf(text(json))).toBe(outcome);
  });

  it('may contain any number of brackets inside strings', () => {
    expect(codeOf(text(JSON.stringify({ a: '[{'.repeat(1000), b: '\\"[' })))).toBe('accepted');
  });

  it.each([
    ['invalid UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'invalid_text'],
    ['an escaped NUL', text('"a\\u0000b"'), 'invalid_text'],
    ['an escaped NUL in a key', text('{"a\\u0000":1}'), 'invalid_text'],
    ['a lone high surrogate', text('{"a":["\\uD800"]}'), 'invalid_text'],
    ['a lone low surrogate', text('"\\udc00x"'), 'invalid_text'],
    ['a raw NUL', text('"a\0b"'), 'invalid_json'],
    ['half an object', text('{"a":'), 'invalid_json'],
  ])('with %s is refused', (_, body, code) => {
    expect(codeOf(body)).toBe(code);
  });

  it('may contain an escaped surrogate pair', () => {
    expect(parseJsonBody(text('"\\ud83d\\ude00"'))).toBe('😀');
  });
});
