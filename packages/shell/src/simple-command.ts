import type { Assignment, CommandNode, Redirection, Word, WordPart } from './ast.js';
import { readFunctionBody } from './compound.js';
import type { Cursor } from './cursor.js';
import { readRedirection } from './redirection.js';
import { readWord } from './word.js';

/** Their arguments may be lists in parentheses too. */
const DECLARING: ReadonlySet<string> = new Set([
  ...['declare', 'typeset', 'local', 'export', 'readonly'],
]);

export function readSimple(cursor: Cursor): CommandNode {
  const assignments: Assignment[] = [];
  const words: Word[] = [];
  const redirections: Redirection[] = [];
  for (;;) {
    cursor.skipBlanks();
    const redirection = readRedirection(cursor);
    if (redirection) {
      redirections.push(redirection);
      continue;
    }
    const word = readWord(cursor);
    if (!word) break;
    refuseVariableDescriptor(cursor, word);
    const assignment = words.length === 0 || isDeclaring(words) ? asAssignment(word) : undefined;
    const list = assignment && readElements(cursor, assignment);
    if (list) assignments.push(list);
    else if (assignment && words.length === 0) assignments.push(assignment);
    else words.push(word);
  }
  const [name] = words;
  if (cursor.peek() === '(') {
    const bare = words.length === 1 && assignments.length === 0 && redirections.length === 0;
    if (!bare || !name) cursor.fail('unexpected "("');
    return readFunction(cursor, name);
  }
  if (words.length + assignments.length + redirections.length === 0) {
    cursor.fail('a command is missing');
  }
  return { type: 'simple', assignments, words, redirections };
}

function readFunction(cursor: Cursor, word: Word): CommandNode {
  const [part] = word.parts;
  if (word.parts.length !== 1 || part?.type !== 'literal') {
    return cursor.fail('the name of a function is not plain');
  }
  cursor.takes('(');
  cursor.skipBlanks();
  cursor.expects(')');
  return { type: 'function', name: part.text, body: readFunctionBody(cursor) };
}

/** `{fd}>file` keeps the number in a variable. */
function refuseVariableDescriptor(cursor: Cursor, { parts }: Word): void {
  const [part] = parts;
  const next = cursor.peek();
  if (part?.type !== 'literal' || (next !== '<' && next !== '>')) return;
  if (/^\{.*\}$/s.test(part.text)) cursor.fail('a descriptor in a variable is not understood');
}

function isDeclaring([name]: readonly Word[]): boolean {
  const part = name?.parts[0];
  return part?.type === 'literal' && name?.parts.length === 1 && DECLARING.has(part.text);
}

/** `NAME=…`, `NAME+=…`, `NAME[…]=…`: only where the name and the sign are not quoted. */
function asAssignment({ parts }: Word): Assignment | undefined {
  const [first, ...rest] = parts;
  if (first === undefined || !('text' in first) || first.type === 'quoted') return undefined;
  const plain = /^([A-Za-z_]\w*)(\+?)=/.exec(first.text);
  if (plain) {
    const value = first.text.slice(plain[0].length);
    return {
      name: plain[1] ?? '',
      append: plain[2] === '+',
      value: { parts: value === '' ? rest : [{ ...first, text: value }, ...rest] },
    };
  }
  const open = /^([A-Za-z_]\w*)\[/.exec(first.text);
  return open ? asElementAssignment(open[1] ?? '', open[0].length, [first, ...rest]) : undefined;
}

type TextPart = Extract<WordPart, { readonly text: string }>;

function asElementAssignment(
  name: string,
  from: number,
  [first, ...rest]: readonly [TextPart, ...WordPart[]],
): Assignment | undefined {
  const subscript: WordPart[] = [];
  const parts: readonly WordPart[] = [{ ...first, text: first.text.slice(from) }, ...rest];
  for (const [index, part] of parts.entries()) {
    const unquoted = 'text' in part && part.type !== 'quoted' ? part : undefined;
    const close = unquoted ? /\](\+?)=/.exec(unquoted.text) : null;
    if (!unquoted || !close) {
      subscript.push(part);
      continue;
    }
    subscript.push({ ...unquoted, text: unquoted.text.slice(0, close.index) });
    const value = { ...unquoted, text: unquoted.text.slice(close.index + close[0].length) };
    return {
      name,
      subscript,
      append: close[1] === '+',
      value: { parts: [value, ...parts.slice(index + 1)] },
    };
  }
  return undefined;
}

/** `NAME=(…)`. */
function readElements(cursor: Cursor, assignment: Assignment): Assignment | undefined {
  const { name, append, subscript, value } = assignment;
  const empty = 'parts' in value && value.parts.length === 0 && !subscript;
  if (!empty || cursor.peek() !== '(') return undefined;
  cursor.takes('(');
  const elements: Word[] = [];
  for (;;) {
    cursor.skipLines();
    const word = readWord(cursor);
    if (!word) break;
    elements.push(word);
  }
  cursor.expects(')');
  return { name, append, value: { elements } };
}
