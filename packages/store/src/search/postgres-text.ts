import type { Term } from './search-query.js';

/** Terms as the text of a PostgreSQL tsquery. */
export function toTsquery(terms: readonly Term[]): string {
  return terms
    .map(({ tokens, prefix }) => tokens.map(lexeme).join(' <-> ') + (prefix ? ':*' : ''))
    .join(' & ');
}

/** Tokens as the text of a PostgreSQL tsvector, whose own parser would split them again. */
export function toTsvector(tokens: readonly string[]): string {
  const positions = new Map<string, number[]>();
  tokens.forEach((token, index) => {
    const known = positions.get(token);
    if (known) known.push(index + 1);
    else positions.set(token, [index + 1]);
  });
  return [...positions].map(([token, at]) => `${lexeme(token)}:${at.join(',')}`).join(' ');
}

function lexeme(token: string): string {
  return `'${token.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}
