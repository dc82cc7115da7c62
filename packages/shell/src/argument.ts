import type { Word, WordPart } from './ast.js';

/** One word of a command as far as it can be known without running anything. */
export type Argument =
  | { readonly type: 'fixed'; readonly text: string }
  | {
      readonly type: 'unknown';
      /** It may become no word, or several. */
      readonly splits: boolean;
      /** It may become an option: nothing says that it does not begin with a dash. */
      readonly mayBeOption: boolean;
      /** The fixed text that it begins with. */
      readonly prefix: string;
    };

/** Could be anything at all. */
export const ANYTHING: Argument = { type: 'unknown', splits: true, mayBeOption: true, prefix: '' };

export function fixed(text: string): Argument {
  return { type: 'fixed', text };
}

export function argumentOf({ parts }: Word): Argument {
  const text = fixedText(parts);
  if (text !== undefined) return fixed(text);
  return {
    type: 'unknown',
    splits: parts.some((part) => splits(part, false)),
    mayBeOption: mayBeOption(parts),
    prefix:
      fixedText(
        parts.slice(
          0,
          parts.findIndex((part) => fixedText([part]) === undefined),
        ),
      ) ?? '',
  };
}

/** The text of parts that always mean the same. */
function fixedText(parts: readonly WordPart[]): string | undefined {
  let text = '';
  for (const part of parts) {
    if (part.type === 'literal' || part.type === 'quoted') text += part.text;
    else if (part.type === 'double') {
      const inside = fixedText(part.parts);
      if (inside === undefined) return undefined;
      text += inside;
    } else return undefined;
  }
  return text;
}

function splits(part: WordPart, quoted: boolean): boolean {
  switch (part.type) {
    case 'literal':
    case 'quoted':
    case 'tilde':
    case 'process':
      return false;
    case 'glob':
    case 'brace':
      return true;
    case 'double':
      return part.parts.some((inside) => splits(inside, true));
    case 'command':
    case 'arithmetic':
      return !quoted;
    case 'parameter':
      if (isNumber(part)) return false;
      return (
        !quoted || isList(part.name, part.subscript) || part.operator === '!' || !!part.operand
      );
  }
}

/** `"$@"` and `"${a[@]}"` are several words in quotes too. */
function isList(name: string, subscript: readonly WordPart[] | undefined): boolean {
  return name === '@' || !!subscript?.some((part) => part.type === 'literal' && part.text === '@');
}

/** `$?`, `$$`, `$!` and `$#` are numbers. */
function isNumber({ name, operator }: Extract<WordPart, { readonly type: 'parameter' }>): boolean {
  return '?$!#'.includes(name) && operator === undefined;
}

function mayBeOption([first]: readonly WordPart[]): boolean {
  if (first === undefined) return false;
  if (first.type === 'double') return first.parts.length === 0 || mayBeOption(first.parts);
  if (first.type === 'process') return false;
  if (first.type === 'literal' || first.type === 'quoted' || first.type === 'tilde') {
    return first.text === '' || first.text.startsWith('-');
  }
  // The part of a pattern or of braces before its first special character is kept.
  if (first.type === 'glob') return /^[*?[-]/.test(first.text);
  if (first.type === 'brace') return /^[{-]/.test(first.text);
  if (first.type === 'parameter') return !isNumber(first);
  return true;
}
