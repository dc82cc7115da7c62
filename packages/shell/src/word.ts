import { readAnsiCQuote } from './ansi-c-quote.js';
import type { Word, WordPart } from './ast.js';
import { isDoubtful, METACHARACTERS } from './characters.js';
import type { Cursor } from './cursor.js';
import {
  type QuoteReaders,
  type Quoting,
  readBracedParameter,
  readPlainParameter,
} from './parameter.js';
import { readArithmetic, readBackticks, readSubstitution } from './substitutions.js';

const quotes: QuoteReaders = { dollar: readDollar, single: readSingle, double: readDouble };

/** A word at the start of a token, or nothing where none begins. */
export function readWord(cursor: Cursor): Word | undefined {
  const parts: WordPart[] = [];
  for (;;) {
    const character = cursor.peek();
    if (character === undefined) break;
    if ((character === '<' || character === '>') && cursor.sees(`${character}(`)) {
      if (parts.length > 0) cursor.fail('a process substitution inside a word is not understood');
      cursor.takes(`${character}(`);
      const direction = character === '<' ? 'in' : 'out';
      parts.push({ type: 'process', direction, script: readSubstitution(cursor) });
      continue;
    }
    if (METACHARACTERS.has(character)) break;
    cursor.next();
    parts.push(readPart(cursor, character));
  }
  if (parts.length === 0) return undefined;
  const joined = joinLiterals(parts);
  refuseOpenSubscript(cursor, joined);
  return { parts: withPatterns(joined) };
}

/** The body of a here-document whose delimiter was not quoted. */
export function readHereDocumentBody(cursor: Cursor): readonly WordPart[] {
  const parts: WordPart[] = [];
  for (;;) {
    const character = cursor.next();
    if (character === undefined) return joinLiterals(parts);
    parts.push(readQuotedPart(cursor, character, 'here_document'));
  }
}

/** A regular expression behind `=~`, where parentheses and bars belong to the word. */
export function readRegularExpression(cursor: Cursor): Word {
  const parts: WordPart[] = [];
  let open = 0;
  for (;;) {
    const character = cursor.peek();
    if (character === undefined || character === ' ' || character === '\t') break;
    if (character === '\n' || (METACHARACTERS.has(character) && !'()|'.includes(character))) {
      cursor.fail('this regular expression is not understood');
    }
    if (character === '(') open += 1;
    if (character === ')') open -= 1;
    if (open < 0) cursor.fail('the parentheses of a regular expression are not balanced');
    cursor.next();
    if ('()|'.includes(character)) parts.push({ type: 'literal', text: character });
    else parts.push(readPart(cursor, character));
  }
  if (open !== 0) cursor.fail('the parentheses of a regular expression are not balanced');
  if (parts.length === 0) cursor.fail('a regular expression is missing');
  return { parts: withPatterns(joinLiterals(parts)) };
}

/** Behind `$`. A dollar sign that begins nothing stands for itself. */
export function readDollar(cursor: Cursor, quoting: Quoting = 'double'): WordPart {
  const next = cursor.peek();
  if (next === '(') {
    if (cursor.takes('((')) return readArithmetic(cursor, readDollar);
    cursor.next();
    return { type: 'command', script: readSubstitution(cursor) };
  }
  if (next === '{') {
    cursor.next();
    return cursor.deeper(() => readBracedParameter(cursor, quoting, quotes));
  }
  if (next === '[') cursor.fail('$[…] is not understood');
  if (quoting === 'none' && next === "'") {
    cursor.next();
    return { type: 'quoted', text: readAnsiCQuote(cursor) };
  }
  if (quoting === 'none' && next === '"') {
    cursor.next();
    return readDouble(cursor);
  }
  return readPlainParameter(cursor) ?? { type: 'quoted', text: '$' };
}

function readPart(cursor: Cursor, character: string): WordPart {
  switch (character) {
    case '\\': {
      const escaped = cursor.nextRaw();
      if (escaped === undefined) return cursor.fail('nothing follows the last backslash');
      return { type: 'quoted', text: escaped };
    }
    case "'":
      return readSingle(cursor);
    case '"':
      return readDouble(cursor);
    case '$':
      return readDollar(cursor, 'none');
    case '`':
      return readBackticks(cursor, false);
    default:
      if (isDoubtful(character)) cursor.fail('it has an invisible character outside of quotes');
      return { type: 'literal', text: character };
  }
}

/** Behind an opening single quote. */
function readSingle(cursor: Cursor): WordPart {
  const end = cursor.text.indexOf("'", cursor.at);
  if (end < 0) cursor.fail("' is not closed");
  const text = cursor.text.slice(cursor.at, end);
  if (text.includes('\n')) cursor.refuseAwaited();
  cursor.at = end + 1;
  return { type: 'quoted', text };
}

/** Behind an opening double quote. */
function readDouble(cursor: Cursor): WordPart {
  const parts: WordPart[] = [];
  for (;;) {
    const character = cursor.next();
    if (character === undefined) cursor.fail('" is not closed');
    if (character === '"') return { type: 'double', parts: joinLiterals(parts) };
    if (character === '\n') cursor.refuseAwaited();
    parts.push(readQuotedPart(cursor, character, 'double'));
  }
}

function readQuotedPart(
  cursor: Cursor,
  character: string,
  quoting: 'double' | 'here_document',
): WordPart {
  if (character === '$') return readDollar(cursor, quoting);
  if (character === '`') return readBackticks(cursor, quoting === 'double');
  if (character !== '\\') return { type: 'quoted', text: character };
  const escaped = cursor.peekRaw();
  const escapes = quoting === 'double' ? '$`"\\' : '$`\\';
  if (escaped === undefined || !escapes.includes(escaped)) return { type: 'quoted', text: '\\' };
  cursor.nextRaw();
  return { type: 'quoted', text: escaped };
}

/** `a[` where an array could be assigned to reads on to its bracket, over blanks and comments. */
function refuseOpenSubscript(cursor: Cursor, parts: readonly WordPart[]): void {
  const [first, ...rest] = parts;
  if (first?.type !== 'literal') return;
  const open = /^[A-Za-z_]\w*\[/.exec(first.text);
  if (!open) return;
  const behind = first.text.slice(open[0].length);
  const closes =
    behind.includes(']') || rest.some((p) => p.type === 'literal' && p.text.includes(']'));
  if (!closes) cursor.fail('a subscript is not closed');
}

function joinLiterals(parts: readonly WordPart[]): readonly WordPart[] {
  const joined: WordPart[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    const plain = part.type === 'literal' || part.type === 'quoted';
    if (last && plain && last.type === part.type) {
      joined[joined.length - 1] = { type: part.type, text: last.text + part.text };
    } else joined.push(part);
  }
  return joined;
}

/**
 * Marks the unquoted text of a word that the shell replaces before the command runs: home
 * directories, patterns for file names, braces. In doubt it is marked: a marked word is not fixed.
 */
function withPatterns(parts: readonly WordPart[]): readonly WordPart[] {
  const plain = parts.map((part) => (part.type === 'literal' ? part.text : '\0')).join('');
  const inBraces = plain.slice(plain.indexOf('{') + 1, Math.max(0, plain.lastIndexOf('}')));
  const braces = plain.includes('{') && /,|\.\./.test(inBraces);
  const brackets = plain.includes('[') && plain.lastIndexOf(']') > plain.indexOf('[');
  return parts.map((part, index) => {
    if (part.type !== 'literal') return part;
    const { text } = part;
    if (braces && /[{},]|\.\./.test(text)) return { type: 'brace', text };
    if (/[*?]/.test(text) || (brackets && /[[\]]/.test(text))) return { type: 'glob', text };
    if ((index === 0 && text.startsWith('~')) || /[=:]~/.test(text)) return { type: 'tilde', text };
    return part;
  });
}
