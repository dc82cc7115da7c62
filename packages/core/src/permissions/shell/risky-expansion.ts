import type { ParameterPart, WordPart } from './ast.js';

/** Numbers in every base; what is left with a letter in it is a variable. */
const NUMBERS = /\b(?:0[xX][0-9a-fA-F]+|\d+#\w+|\d+)\b/g;

/** Parameters whose values are numbers. */
const COUNTING: ReadonlySet<string> = new Set('#?$!');

/**
 * Whether calculating this can run a command: the value of a variable is read as a calculation
 * again, and a subscript in that one as a word with substitutions (`x='a[$(id)]'; echo $((x))`).
 */
export function calculatesVariables(parts: readonly WordPart[]): boolean {
  return parts.some((part) => {
    if ('text' in part) return /[A-Za-z_]/.test(part.text.replaceAll(NUMBERS, ''));
    if (part.type === 'double') return calculatesVariables(part.parts);
    if (part.type !== 'parameter') return true;
    return !(COUNTING.has(part.name) || part.operator === '#');
  });
}

/** Whether expanding this can run a command that is not written in it. */
export function runsItsValue(part: ParameterPart): boolean {
  if (part.operator === '!' || part.operator === '@P') return true;
  if (part.operator === ':' && calculatesVariables(part.operand ?? [])) return true;
  return part.subscript !== undefined && calculatesVariables(part.subscript);
}

/** Whether expanding this gives its variable a value. */
export function assignsItsValue(part: ParameterPart): boolean {
  return part.operator === '=' || part.operator === ':=';
}
