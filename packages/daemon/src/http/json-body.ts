import { isUtf8 } from 'node:buffer';
import { LIMITS, StoaError } from '@stoa/protocol';

/** JSON from outside: valid UTF-8, not too deep, and every string in it can be stored on every engine. */
export function parseJsonBody(body: Buffer): unknown {
  if (body.length === 0) return undefined;
  if (!isUtf8(body)) throw new StoaError('invalid_text', 'The body is not valid UTF-8');
  const text = body.toString('utf8');
  assertReadable(text);
  const value = parse(text);
  // Without these escapes valid UTF-8 cannot decode to a NUL or a lone surrogate.
  if (/\\u(?:0000|d[89a-f])/i.test(text)) assertStorable(value);
  return value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new StoaError('invalid_json', error instanceof Error ? error.message : 'not JSON', [], {
      cause: error,
    });
  }
}

const QUOTE = 34;
const BACKSLASH = 92;
const [DIGIT_0, DIGIT_9] = [48, 57];
const IN_NUMBER = new Set(Array.from('.eE+-', (char) => char.charCodeAt(0)));
const UNSAFE_DIGITS = 16;
const MAX_DIGITS = 309;
const OPENING = new Set([91, 123]);
const CLOSING = new Set([93, 125]);

/**
 * Checks the text outside strings, before anything recursive reads it: the depth of the brackets, and whether an
 * integer is too long to be stored exactly.
 */
function assertReadable(text: string): void {
  let depth = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (inString) {
      if (code === BACKSLASH) i += 1;
      else if (code === QUOTE) inString = false;
    } else if (code === QUOTE) inString = true;
    else if (OPENING.has(code)) {
      depth += 1;
      if (depth > LIMITS.jsonDepth) {
        throw new StoaError(
          'too_deep',
          `JSON may be nested ${String(LIMITS.jsonDepth)} levels deep`,
        );
      }
    } else if (CLOSING.has(code)) depth -= 1;
    else if (code >= DIGIT_0 && code <= DIGIT_9) i = endOfNumber(text, i) - 1;
  }
}

/** JSON has no limit for numbers, JavaScript has: 2^53 + 1 would silently become another number. */
function endOfNumber(text: string, start: number): number {
  let end = start;
  while (isInNumber(text.charCodeAt(end))) end += 1;
  if (end - start < UNSAFE_DIGITS) return end;
  const literal = text.slice(start, end);
  if (/^\d+$/.test(literal) && !isKeptExactly(literal)) {
    throw new StoaError('invalid_request', 'A number is too long to be kept; send it as text');
  }
  return end;
}

/** Whether the integer survives, as written or as its value. */
function isKeptExactly(integer: string): boolean {
  if (integer.length > MAX_DIGITS) return false;
  const kept = Number(integer);
  return String(kept) === integer || BigInt(kept) === BigInt(integer);
}

/** Digits, and the characters between them: a point, an exponent, its sign. */
function isInNumber(code: number): boolean {
  return (code >= DIGIT_0 && code <= DIGIT_9) || IN_NUMBER.has(code);
}

function assertStorable(value: unknown): void {
  if (typeof value === 'string') {
    if (value.includes('\0'))
      throw new StoaError('invalid_text', 'Text may not hold NUL characters');
    if (!value.isWellFormed())
      throw new StoaError('invalid_text', 'Text may not hold lone surrogates');
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, inner] of Object.entries(value)) {
      assertStorable(key);
      assertStorable(inner);
    }
  }
}
