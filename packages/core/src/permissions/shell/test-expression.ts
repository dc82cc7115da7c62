import type { TestExpression, Word } from './ast.js';
import { METACHARACTERS } from './characters.js';
import type { Cursor } from './cursor.js';
import { readRegularExpression, readWord } from './word.js';

const UNARY = /^-[abcdefghknoprstuvwxzGLNORS]$/;
const BINARY = /^(?:==?|!=|-(?:eq|ne|lt|le|gt|ge|nt|ot|ef))$/;

/** Behind `[[`, up to and with `]]`. */
export function readTest(cursor: Cursor): TestExpression {
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
