import type { Cursor } from './cursor.js';

const SIMPLE: ReadonlyMap<string, string> = new Map([
  ['a', '\x07'],
  ['b', '\b'],
  ['e', '\x1b'],
  ['E', '\x1b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
  ['\\', '\\'],
  ['"', '"'],
  ['?', '?'],
]);

const NUMBERED: readonly (readonly [RegExp, radix: number])[] = [
  [/^([0-7]{1,3})/, 8],
  [/^x([0-9a-fA-F]{1,2})/, 16],
  [/^u([0-9a-fA-F]{1,4})/, 16],
  [/^U([0-9a-fA-F]{1,8})/, 16],
];

/**
 * The inside of `$'…'`, up to and with its closing quote.
 *
 * An escaped quote is refused: where a shell does not know `$'…'`, the text would end there and
 * what follows would run.
 */
export function readAnsiCQuote(cursor: Cursor): string {
  let text = '';
  for (;;) {
    const character = cursor.nextRaw();
    if (character === undefined) cursor.fail("$' is not closed");
    if (character === "'") return text;
    if (character === '\n') cursor.refuseAwaited();
    text += character === '\\' ? readEscape(cursor) : character;
  }
}

function readEscape(cursor: Cursor): string {
  const escape = cursor.peekRaw();
  if (escape === undefined) cursor.fail("$' is not closed");
  if (escape === "'") cursor.fail("an escaped quote in $'…' is not the same in every shell");
  const simple = SIMPLE.get(escape);
  if (simple !== undefined) {
    cursor.at += 1;
    return simple;
  }
  if (escape === 'c') cursor.fail("control escapes in $'…' are not understood");
  const rest = cursor.text.slice(cursor.at, cursor.at + 9);
  for (const [form, radix] of NUMBERED) {
    const found = form.exec(rest);
    if (!found?.[1]) continue;
    cursor.at += found[0].length;
    const code = Number.parseInt(found[1], radix);
    const isByte = escape !== 'u' && escape !== 'U';
    if (code <= 1 || code === 0x7f || (isByte && code > 0x7f) || !isScalar(code)) {
      cursor.fail("$'…' names something that is not a character");
    }
    return String.fromCodePoint(code);
  }
  return '\\';
}

function isScalar(code: number): boolean {
  return code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
}
