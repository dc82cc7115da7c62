import type { WordPart } from './ast.js';

/**
 * Marks the unquoted text of a word that the shell replaces before the command runs: home
 * directories, patterns for file names, braces. In doubt it is marked: a marked word is not fixed.
 */
export function withPatterns(parts: readonly WordPart[]): readonly WordPart[] {
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
