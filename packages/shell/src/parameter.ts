import type { ParameterPart, WordPart } from './ast.js';
import { isDigit, isNamePart, isNameStart } from './characters.js';
import type { Cursor } from './cursor.js';
import { readBackticks } from './substitutions.js';

/** How the text around an expansion is quoted; quotes inside it depend on that. */
export type Quoting = 'none' | 'double' | 'here_document';

/** What an expansion needs of the word grammar, which contains it. */
export interface QuoteReaders {
  readonly dollar: (cursor: Cursor, quoting: Quoting) => WordPart;
  readonly single: (cursor: Cursor) => WordPart;
  readonly double: (cursor: Cursor) => WordPart;
}

const SPECIAL: ReadonlySet<string> = new Set('@*#?-$!');

// Longest first.
const OPERATORS = [
  ...[':-', ':=', ':?', ':+', '##', '%%', '//', '^^', ',,'],
  ...['-', '=', '?', '+', '#', '%', '/', '^', ',', ':'],
];

const TRANSFORMATIONS: ReadonlySet<string> = new Set('UuLQEPAKak');

/** Behind `$`, where a name, a number or a special parameter comes next. */
export function readPlainParameter(cursor: Cursor): ParameterPart | undefined {
  const first = cursor.peek();
  if (isNameStart(first)) return { type: 'parameter', name: readName(cursor) };
  if (first === undefined || !(isDigit(first) || SPECIAL.has(first))) return undefined;
  cursor.next();
  return { type: 'parameter', name: first };
}

/** Behind `${`, up to and with the closing brace. */
export function readBracedParameter(
  cursor: Cursor,
  quoting: Quoting,
  quotes: QuoteReaders,
): ParameterPart {
  const prefix = readPrefix(cursor);
  const name = readParameterName(cursor);
  const subscript = cursor.takes('[') ? readSubscript(cursor, quotes) : undefined;
  const read = { type: 'parameter' as const, name, ...(subscript && { subscript }) };
  if (cursor.takes('}')) return prefix ? { ...read, operator: prefix } : read;
  if (prefix === '#') cursor.fail('a length takes nothing else');
  if (prefix === '!') {
    // Names that begin so, or what the named parameter holds, changed as below.
    if (cursor.takes('@}') || cursor.takes('*}')) return { ...read, operator: prefix };
  }
  if (cursor.takes('@')) {
    const transformation = cursor.next();
    if (transformation === undefined || !TRANSFORMATIONS.has(transformation)) {
      cursor.fail('this transformation is not understood');
    }
    cursor.expects('}');
    return { ...read, operator: prefix ?? `@${transformation}` };
  }
  const operator = OPERATORS.find((candidate) => cursor.takes(candidate));
  if (operator === undefined) cursor.fail('this expansion is not understood');
  const operand = readOperand(cursor, quoting, quotes);
  return { ...read, operator: prefix ?? operator, operand };
}

function readPrefix(cursor: Cursor): '#' | '!' | undefined {
  const prefix = cursor.peek();
  if (prefix !== '#' && prefix !== '!') return undefined;
  if (cursor.sees(`${prefix}}`)) return undefined;
  cursor.next();
  const first = cursor.peek();
  if (isNameStart(first) || isDigit(first)) return prefix;
  if (prefix === '#' && (first === '@' || first === '*')) return prefix;
  return cursor.fail('this expansion is not understood');
}

function readParameterName(cursor: Cursor): string {
  const first = cursor.peek();
  if (isNameStart(first)) return readName(cursor);
  if (isDigit(first)) {
    let digits = '';
    while (isDigit(cursor.peek())) digits += cursor.next() ?? '';
    return digits;
  }
  if (first === undefined || !SPECIAL.has(first)) cursor.fail('this expansion is not understood');
  cursor.next();
  return first;
}

function readName(cursor: Cursor): string {
  let name = '';
  while (isNamePart(cursor.peek())) name += cursor.next() ?? '';
  return name;
}

const SUBSCRIPT = /[\w +\-*/%.:@]/;

function readSubscript(cursor: Cursor, quotes: QuoteReaders): readonly WordPart[] {
  const parts: WordPart[] = [];
  for (;;) {
    const character = cursor.next();
    if (character === ']') return parts;
    if (character === '$') parts.push(quotes.dollar(cursor, 'double'));
    else if (character === '`') parts.push(readBackticks(cursor, true));
    else if (character !== undefined && SUBSCRIPT.test(character)) {
      parts.push({ type: 'literal', text: character });
    } else cursor.fail('this subscript is not understood');
  }
}

/**
 * Up to and with the closing brace. Shells disagree about quotes inside an expansion that is
 * itself quoted, and about braces and process substitutions in any: those are refused.
 */
function readOperand(cursor: Cursor, quoting: Quoting, quotes: QuoteReaders): readonly WordPart[] {
  const parts: WordPart[] = [];
  for (;;) {
    const character = cursor.next();
    switch (character) {
      case undefined:
        return cursor.fail('${ is not closed');
      case '}':
        return parts;
      case '\\': {
        const escaped = cursor.nextRaw();
        if (escaped === undefined) cursor.fail('${ is not closed');
        parts.push({ type: 'quoted', text: escaped });
        break;
      }
      case "'":
      case '"':
        if (quoting !== 'none') cursor.fail('quotes in a quoted ${…} differ between shells');
        parts.push(character === '"' ? quotes.double(cursor) : quotes.single(cursor));
        break;
      case '$':
        parts.push(quotes.dollar(cursor, quoting));
        break;
      case '`':
        parts.push(readBackticks(cursor, quoting !== 'none'));
        break;
      case '<':
      case '>':
        if (cursor.peek() === '(') cursor.fail('a process substitution in ${…} is not understood');
        parts.push({ type: 'literal', text: character });
        break;
      case '{':
        return cursor.fail('a brace in ${…} is not understood');
      case '\n':
        cursor.refuseAwaited();
        parts.push({ type: 'literal', text: character });
        break;
      default:
        parts.push({ type: 'literal', text: character });
    }
  }
}
