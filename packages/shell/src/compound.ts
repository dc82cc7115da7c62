import type {
  Branch,
  CaseArm,
  CommandNode,
  CompoundCommand,
  CompoundShape,
  Redirection,
  Script,
  TestExpression,
  Word,
} from './ast.js';
import { METACHARACTERS } from './characters.js';
import type { Cursor } from './cursor.js';
import { expectKeyword, seesKeyword, takesKeyword } from './keyword.js';
import { readRedirection } from './redirection.js';
import { readArithmetic } from './substitutions.js';
import { readDollar, readRegularExpression, readWord } from './word.js';

/** A command that contains others, or nothing where a simple one begins. */
export function readCompound(cursor: Cursor): CommandNode | undefined {
  if (takesKeyword(cursor, 'function')) return readFunctionKeyword(cursor);
  const shape = readShape(cursor);
  if (!shape) return undefined;
  return { type: 'compound', shape, redirections: readRedirections(cursor) };
}

function readShape(cursor: Cursor): CompoundShape | undefined {
  if (cursor.takes('((')) {
    return { type: 'arithmetic', expression: readArithmetic(cursor, readDollar) };
  }
  if (cursor.takes('(')) {
    const body = readBody(cursor);
    cursor.expects(')');
    return { type: 'subshell', body };
  }
  const keyword = seesKeyword(cursor);
  if (!keyword || keyword === 'time') return undefined;
  takesKeyword(cursor, keyword);
  switch (keyword) {
    case '{': {
      const body = readBody(cursor);
      expectKeyword(cursor, '}');
      return { type: 'group', body };
    }
    case 'if':
      return readIf(cursor);
    case 'while':
    case 'until': {
      const condition = readBody(cursor);
      return { type: keyword, condition, body: readDo(cursor) };
    }
    case 'for':
    case 'select':
      return readFor(cursor, keyword);
    case 'case':
      return readCase(cursor);
    case '[[':
      return { type: 'test', expression: readTest(cursor) };
    default:
      return cursor.fail(`unexpected ${JSON.stringify(keyword)}`);
  }
}

function readRedirections(cursor: Cursor): readonly Redirection[] {
  const redirections: Redirection[] = [];
  for (;;) {
    cursor.skipBlanks();
    const redirection = readRedirection(cursor);
    if (!redirection) return redirections;
    redirections.push(redirection);
  }
}

function readBody(cursor: Cursor): Script {
  const body = cursor.grammar.list(cursor);
  if (body.items.length === 0) cursor.fail('a command is missing');
  return body;
}

function readDo(cursor: Cursor): Script {
  expectKeyword(cursor, 'do');
  const body = readBody(cursor);
  expectKeyword(cursor, 'done');
  return body;
}

function readIf(cursor: Cursor): CompoundShape {
  const branches: Branch[] = [];
  do {
    const condition = readBody(cursor);
    expectKeyword(cursor, 'then');
    branches.push({ condition, body: readBody(cursor) });
  } while (takesKeyword(cursor, 'elif'));
  if (!takesKeyword(cursor, 'else')) {
    expectKeyword(cursor, 'fi');
    return { type: 'if', branches };
  }
  const otherwise = readBody(cursor);
  expectKeyword(cursor, 'fi');
  return { type: 'if', branches, otherwise };
}

function readFor(cursor: Cursor, type: 'for' | 'select'): CompoundShape {
  cursor.skipBlanks();
  if (type === 'for' && cursor.takes('((')) {
    const head = readArithmetic(cursor, readDollar, true);
    if (countSemicolons(head.parts) !== 2) cursor.fail('for ((…)) has three parts');
    cursor.skipBlanks();
    cursor.takes(';');
    return { type: 'arithmetic_for', head, body: readDo(cursor) };
  }
  const variable = readPlainName(cursor);
  cursor.skipLines();
  if (!takesKeyword(cursor, 'in')) {
    cursor.takes(';');
    return { type, variable, body: readDo(cursor) };
  }
  const words: Word[] = [];
  for (;;) {
    cursor.skipBlanks();
    const word = readWord(cursor);
    if (!word) break;
    words.push(word);
  }
  if (!cursor.takes(';') && cursor.peek() !== '\n') cursor.fail('"do" is missing');
  return { type, variable, words, body: readDo(cursor) };
}

function countSemicolons(parts: readonly { readonly type: string }[]): number {
  const text = parts.map((part) => ('text' in part ? String(part.text) : '')).join('');
  return text.split(';').length - 1;
}

function readPlainName(cursor: Cursor): string {
  const [part, ...more] = readWord(cursor)?.parts ?? [];
  if (part?.type !== 'literal' || more.length > 0 || !/^[A-Za-z_]\w*$/.test(part.text)) {
    return cursor.fail('the name of a variable is missing');
  }
  return part.text;
}

function readCase(cursor: Cursor): CompoundShape {
  cursor.skipBlanks();
  const subject = readWord(cursor);
  if (!subject) cursor.fail('a case has no subject');
  expectKeyword(cursor, 'in');
  const arms: CaseArm[] = [];
  for (;;) {
    cursor.skipLines();
    if (takesKeyword(cursor, 'esac')) return { type: 'case', subject, arms };
    arms.push(readArm(cursor));
  }
}

function readArm(cursor: Cursor): CaseArm {
  const patterns: Word[] = [];
  cursor.takes('(');
  do {
    cursor.skipBlanks();
    const pattern = readWord(cursor);
    if (!pattern) cursor.fail('a pattern is missing');
    patterns.push(pattern);
    cursor.skipBlanks();
  } while (cursor.takes('|'));
  cursor.expects(')');
  const body = cursor.grammar.list(cursor);
  const ended = cursor.takes(';;&') || cursor.takes(';;') || cursor.takes(';&');
  if (!ended && seesKeyword(cursor) !== 'esac') cursor.fail('";;" is missing');
  return { patterns, body };
}

/** Behind `function`. */
function readFunctionKeyword(cursor: Cursor): CommandNode {
  cursor.skipBlanks();
  const [part, ...more] = readWord(cursor)?.parts ?? [];
  if (part?.type !== 'literal' || more.length > 0) {
    return cursor.fail('the name of a function is not plain');
  }
  cursor.skipBlanks();
  if (cursor.takes('(')) {
    cursor.skipBlanks();
    cursor.expects(')');
  }
  return { type: 'function', name: part.text, body: readFunctionBody(cursor) };
}

export function readFunctionBody(cursor: Cursor): CompoundCommand {
  cursor.skipLines();
  const body = readCompound(cursor);
  if (body?.type !== 'compound') cursor.fail('a function has no body');
  return body;
}

const UNARY = /^-[abcdefghknoprstuvwxzGLNORS]$/;
const BINARY = /^(?:==?|!=|-(?:eq|ne|lt|le|gt|ge|nt|ot|ef))$/;

/** Behind `[[`, up to and with `]]`. */
function readTest(cursor: Cursor): TestExpression {
  const expression = readOr(cursor);
  if (!isClosing(cursor)) cursor.fail('"]]" is missing');
  cursor.takes(']]');
  return expression;
}

function readOr(cursor: Cursor): TestExpression {
  let left = readAnd(cursor);
  while (takesOperator(cursor, '||')) left = { type: 'or', left, right: readAnd(cursor) };
  return left;
}

function readAnd(cursor: Cursor): TestExpression {
  let left = readTerm(cursor);
  while (takesOperator(cursor, '&&')) left = { type: 'and', left, right: readTerm(cursor) };
  return left;
}

function readTerm(cursor: Cursor): TestExpression {
  return cursor.deeper(() => {
    cursor.skipBlanks();
    if (cursor.takes('(')) {
      const inside = readOr(cursor);
      cursor.skipBlanks();
      cursor.expects(')');
      return inside;
    }
    const first = readOperand(cursor);
    if (plain(first) === '!') return { type: 'not', operand: readTerm(cursor) };
    cursor.skipBlanks();
    if (UNARY.test(plain(first) ?? '') && !isDone(cursor)) {
      return { type: 'unary', operator: plain(first) ?? '', operand: readOperand(cursor) };
    }
    return readComparison(cursor, first);
  });
}

function readComparison(cursor: Cursor, left: Word): TestExpression {
  if (isDone(cursor)) {
    if (UNARY.test(plain(left) ?? '')) cursor.fail('a test has no operand');
    return { type: 'word', word: left };
  }
  if (cursor.takes('=~')) {
    cursor.skipBlanks();
    return { type: 'binary', operator: '=~', left, right: readRegularExpression(cursor) };
  }
  const sign = cursor.takes('<') ? '<' : cursor.takes('>') ? '>' : undefined;
  const operator = sign ?? plain(readOperand(cursor)) ?? '';
  if (!sign && !BINARY.test(operator)) cursor.fail('this test is not understood');
  return { type: 'binary', operator, left, right: readOperand(cursor) };
}

function readOperand(cursor: Cursor): Word {
  cursor.skipBlanks();
  const word = isClosing(cursor) ? undefined : readWord(cursor);
  return word ?? cursor.fail('a test has no operand');
}

function isDone(cursor: Cursor): boolean {
  return cursor.sees('&&') || cursor.sees('||') || cursor.peek() === ')' || isClosing(cursor);
}

function isClosing(cursor: Cursor): boolean {
  cursor.skipBlanks();
  return cursor.ahead(() => {
    if (!cursor.takes(']]')) return false;
    const behind = cursor.peek();
    return behind === undefined || METACHARACTERS.has(behind);
  });
}

function takesOperator(cursor: Cursor, operator: '&&' | '||'): boolean {
  cursor.skipBlanks();
  if (!cursor.takes(operator)) return false;
  cursor.skipLines();
  return true;
}

function plain({ parts }: Word): string | undefined {
  const [part] = parts;
  return parts.length === 1 && part?.type === 'literal' ? part.text : undefined;
}
