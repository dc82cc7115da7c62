import { fold, type Run, runsOf, tokensOf, tokensOfRun } from './search-tokens.js';

/** Adjacent tokens. With `prefix` the last may be the beginning of a longer one. */
export interface Term {
  readonly tokens: readonly string[];
  readonly prefix: boolean;
}

const QUERY_LIMITS = { textChars: 1_000, tokens: 64 } as const;

const QUOTED_OR_PIECE = /"([^"]*)("?)|[^\s"]+/g;
const CURLY_QUOTES = /[“”]/g;

/**
 * The terms of a query; all must match. Words joined by punctuation (`kube-system`) and quoted text are phrases; the
 * last word matches as a prefix unless a space follows, because it is still being typed. There are no operators.
 * Terms beyond the limits are ignored, which finds more, not less. A query without words has no terms and finds
 * nothing.
 */
export function parseQuery(text: string): Term[] {
  const folded = fold(text.slice(0, QUERY_LIMITS.textChars)).replace(CURLY_QUOTES, '"');
  const isTyping = !/\s$/.test(folded);
  const terms: Term[] = [];
  for (const match of folded.matchAll(QUOTED_OR_PIECE)) {
    const [piece, quoted, closing] = match;
    const isLast = isTyping && match.index + piece.length === folded.length;
    if (quoted === undefined) terms.push(...termsOfPiece([...runsOf(piece)], isLast));
    else terms.push(...phraseOf([...runsOf(quoted)], isLast && closing === ''));
  }
  return bounded(terms);
}

/** Adjacent words are one phrase; an unspaced run is a separate one. */
function termsOfPiece(runs: readonly Run[], isLast: boolean): Term[] {
  const terms: Term[] = [];
  let words: Run[] = [];
  for (const run of runs) {
    if (run.kind === 'word') {
      words.push(run);
      continue;
    }
    terms.push(...phraseOf(words, false), ...phraseOf([run], false));
    words = [];
  }
  return [...terms, ...phraseOf(words, isLast)];
}

function phraseOf(runs: readonly Run[], isLast: boolean): Term[] {
  const last = runs.at(-1);
  if (last === undefined) return [];
  const tokens = runs.slice(0, -1).flatMap(tokensOfRun);
  if (last.kind === 'word') return [{ tokens: [...tokens, last.word], prefix: isLast }];
  // The run may continue in the message, so its last character alone is not a token.
  const ending = tokensOfRun(last);
  const isSingle = ending.length === 1;
  return [{ tokens: [...tokens, ...(isSingle ? ending : ending.slice(0, -1))], prefix: isSingle }];
}

function bounded(terms: readonly Term[]): Term[] {
  const kept: Term[] = [];
  let room: number = QUERY_LIMITS.tokens;
  for (const term of terms) {
    if (room === 0) break;
    const isCut = term.tokens.length > room;
    kept.push(isCut ? { tokens: term.tokens.slice(0, room), prefix: false } : term);
    room -= Math.min(room, term.tokens.length);
  }
  return kept;
}

/** The meaning of a query, which the indexes must agree with. */
export function matches(terms: readonly Term[], text: string): boolean {
  const tokens = tokensOf(text);
  return terms.length > 0 && terms.every((term) => contains(tokens, term));
}

function contains(tokens: readonly string[], term: Term): boolean {
  const last = term.tokens.length - 1;
  const fits = (token: string | undefined, i: number): boolean =>
    token !== undefined &&
    (i === last && term.prefix ? token.startsWith(term.tokens[i] ?? '') : token === term.tokens[i]);
  return tokens.some((_, start) => term.tokens.every((_, i) => fits(tokens[start + i], i)));
}
