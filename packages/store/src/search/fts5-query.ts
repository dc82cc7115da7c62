import type { Term } from './search-query.js';

/** Known tokens that begin with one; undefined when there are too many to name. */
export type Expand = (prefix: string) => readonly string[] | undefined;

/**
 * Terms in the language of FTS5. A prefix is written as the tokens it stands for: FTS5 would first
 * gather every document of every one of them, which grows with history.
 */
export function toFts5(terms: readonly Term[], expand: Expand): string {
  return terms.map((term) => fts5Term(term, expand)).join(' AND ');
}

function fts5Term({ tokens, prefix }: Term, expand: Expand): string {
  if (!prefix) return fts5String(tokens);
  const last = tokens.at(-1) ?? '';
  const endings = expand(last);
  if (endings === undefined) return `${fts5String(tokens)} *`;
  const before = tokens.slice(0, -1);
  const phrases = (endings.length === 0 ? [last] : endings).map((end) =>
    fts5String([...before, end]),
  );
  return `(${phrases.join(' OR ')})`;
}

/** FTS5 splits a string at spaces again, which gives the tokens back as a phrase. */
export function fts5String(tokens: readonly string[]): string {
  return `"${tokens.join(' ').replaceAll('"', '""')}"`;
}
