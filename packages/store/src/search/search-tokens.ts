/**
 * One tokeniser for both engines, for queries and for the tail scan, so that all agree on what a word is. Scripts
 * without spaces are split into overlapping pairs: 部署成功 gives 部署 署成 成功 and, last, 功. So one character is the
 * beginning of a token, two are a token, and more are a phrase; trigrams would miss the first two.
 */

/** Limits the searchable text of one message to what a PostgreSQL tsvector can hold. */
export const TOKEN_LIMITS = {
  textChars: 262_144,
  tokens: 16_000,
  tokenChars: 64,
  totalChars: 262_144,
  /** PostgreSQL keeps 256 positions of a word. */
  repeats: 255,
} as const;

/** Part of a text: one word, or characters written without spaces. */
export type Run =
  | { readonly kind: 'word'; readonly word: string }
  | { readonly kind: 'unspaced'; readonly characters: readonly string[] };

const NOT_ASCII = /[^\0-\x7f]/;
const ASCII_WORDS = /[a-z0-9]+/g;
const WORDS = /[\p{L}\p{N}\p{M}]+/gu;
const UNSPACED = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}]/u;
const UNSPACED_OR_NOT =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}]+|[^\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}]+/gu;
const INVISIBLE = /\p{Default_Ignorable_Code_Point}+/gu;

/** Removes differences in case, width and composition. */
export function fold(text: string): string {
  if (!NOT_ASCII.test(text)) return text.toLowerCase();
  return text.normalize('NFKC').toLowerCase().replace(INVISIBLE, '').replaceAll('ς', 'σ');
}

/** The runs of a folded text, in order. */
export function* runsOf(folded: string): Generator<Run> {
  const isAscii = !NOT_ASCII.test(folded);
  for (const [piece] of folded.matchAll(isAscii ? ASCII_WORDS : WORDS)) {
    if (isAscii || !UNSPACED.test(piece)) yield word(piece);
    else for (const [part] of piece.matchAll(UNSPACED_OR_NOT)) yield runOf(part);
  }
}

function runOf(part: string): Run {
  return UNSPACED.test(part) ? { kind: 'unspaced', characters: Array.from(part) } : word(part);
}

function word(text: string): Run {
  return { kind: 'word', word: text.length > TOKEN_LIMITS.tokenChars ? shorten(text) : text };
}

function shorten(text: string): string {
  const { tokenChars } = TOKEN_LIMITS;
  const isPairCut = /[\uD800-\uDBFF]/.test(text.charAt(tokenChars - 1));
  return text.slice(0, isPairCut ? tokenChars - 1 : tokenChars);
}

/** The tokens of a message, in order; phrases use their indexes as positions. */
export function tokensOf(text: string): string[] {
  const tokens: string[] = [];
  let room: number = TOKEN_LIMITS.totalChars;
  for (const run of runsOf(fold(text.slice(0, TOKEN_LIMITS.textChars)))) {
    for (const token of tokensOfRun(run)) {
      room -= token.length;
      if (room < 0 || tokens.length === TOKEN_LIMITS.tokens) return withoutExcess(tokens);
      tokens.push(token);
    }
  }
  return withoutExcess(tokens);
}

export function tokensOfRun(run: Run): string[] {
  if (run.kind === 'word') return [run.word];
  return run.characters.map((character, i) => character + (run.characters[i + 1] ?? ''));
}

function withoutExcess(tokens: string[]): string[] {
  if (tokens.length <= TOKEN_LIMITS.repeats) return tokens;
  const counts = new Map<string, number>();
  return tokens.filter((token) => {
    const count = (counts.get(token) ?? 0) + 1;
    counts.set(token, count);
    return count <= TOKEN_LIMITS.repeats;
  });
}
