import { argumentOf } from './argument.js';
import type { TestExpression, Word } from './ast.js';
import { calculatesVariables } from './risky-expansion.js';

interface TestWords {
  /** In the order they were written, operators too. */
  readonly words: readonly Word[];
  /** It reads the value of a variable as a calculation, which can run commands. */
  readonly calculates: boolean;
}

export function wordsOfTest(expression: TestExpression): TestWords {
  switch (expression.type) {
    case 'word':
      return { words: [expression.word], calculates: false };
    case 'unary': {
      const { operator, operand } = expression;
      const names = operator === '-v' || operator === '-R';
      const calculates = names && mayHaveSubscript(operand);
      return { words: [literal(operator), operand], calculates };
    }
    case 'binary': {
      const { operator, left, right } = expression;
      const numeric = /^-(?:eq|ne|lt|le|gt|ge)$/.test(operator);
      const calculates = numeric && calculatesVariables([...left.parts, ...right.parts]);
      return { words: [left, literal(operator), right], calculates };
    }
    case 'not':
      return wordsOfTest(expression.operand);
    case 'and':
    case 'or': {
      const left = wordsOfTest(expression.left);
      const right = wordsOfTest(expression.right);
      return {
        words: [...left.words, ...right.words],
        calculates: left.calculates || right.calculates,
      };
    }
  }
}

function mayHaveSubscript(word: Word): boolean {
  const argument = argumentOf(word);
  return argument.type !== 'fixed' || argument.text.includes('[');
}

function literal(text: string): Word {
  return { parts: [{ type: 'literal', text }] };
}
