import type { ArithmeticPart, Script, WordPart } from './ast.js';
import type { Cursor } from './cursor.js';

/** Behind `$(`, `<(` or `>(`, up to and with the closing parenthesis. */
export function readSubstitution(cursor: Cursor): Script {
  return cursor.nested(() => {
    const script = cursor.grammar.list(cursor);
    if (script.items.length === 0) cursor.fail('a substitution is empty');
    cursor.expects(')');
    return script;
  });
}

/**
 * Behind an opening backtick. The text is taken out first, with its backslashes before `$`, a
 * backtick and a backslash removed, and is then a script of its own.
 */
export function readBackticks(cursor: Cursor, quoted: boolean): WordPart {
  let text = '';
  for (;;) {
    const character = cursor.nextRaw();
    if (character === undefined) cursor.fail('a backtick is not closed');
    if (character === '`') break;
    if (character === '\n') cursor.refuseAwaited();
    if (character !== '\\') {
      text += character;
      continue;
    }
    const escaped = cursor.nextRaw();
    if (escaped === undefined) cursor.fail('a backtick is not closed');
    if (quoted && escaped === '"') {
      cursor.fail('an escaped quote in backticks in quotes is not the same in every shell');
    }
    text += escaped === '$' || escaped === '`' || escaped === '\\' ? escaped : `\\${escaped}`;
  }
  const inside = cursor.inside(text);
  const script = inside.grammar.list(inside);
  if (inside.peek() !== undefined) inside.fail('it does not end where its backtick does');
  if (inside.awaited.length > 0) inside.fail('a here-document has no body');
  if (script.items.length === 0) cursor.fail('a substitution is empty');
  return { type: 'command', script };
}

const ARITHMETIC = /[\w \t\n+\-*/%<>=!&|^~?:,#[\]]/;

/**
 * Behind `((`, up to and with `))`. A shell that finds the parentheses unbalanced reads a subshell
 * in a subshell instead; that is refused here, and so is every character that does not belong in a
 * calculation.
 */
export function readArithmetic(
  cursor: Cursor,
  readDollar: (cursor: Cursor) => WordPart,
  inFor = false,
): ArithmeticPart {
  const parts: WordPart[] = [];
  let text = '';
  let open = 0;
  const flush = () => {
    if (text) parts.push({ type: 'literal', text });
    text = '';
  };
  for (;;) {
    const character = cursor.next();
    if (character === undefined) cursor.fail('a calculation is not closed');
    if (character === ')' && open === 0) break;
    if (character === '\n') cursor.refuseAwaited();
    if (character === '$' || character === '`') {
      flush();
      parts.push(character === '$' ? readDollar(cursor) : readBackticks(cursor, true));
      continue;
    }
    if (character === '(') open += 1;
    else if (character === ')') open -= 1;
    else if (!ARITHMETIC.test(character) && !(inFor && character === ';')) {
      cursor.fail('this is not a calculation');
    }
    text += character;
  }
  flush();
  if (!cursor.takes(')')) cursor.fail('the parentheses of a calculation are not balanced');
  return { type: 'arithmetic', parts };
}
