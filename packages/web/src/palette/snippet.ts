export interface Piece {
  readonly text: string;
  /** Whether it is what was searched for. */
  readonly isHit: boolean;
}

/** So much before the first hit that it is in view on a phone, too. */
const BEFORE_CHARS = 24;
const CHARS = 200;
/** So much of it is in view everywhere. */
const SEEN_CHARS = 32;

/** The part of a text around what was searched for in it, on one line. */
export function snippetOf(text: string, query: string): readonly Piece[] {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  const hits = hitsIn(line, query);
  const first = bestOf(hits)?.from ?? 0;
  const from = first <= BEFORE_CHARS ? 0 : line.indexOf(' ', first - BEFORE_CHARS - 1) + 1;
  const to = from + CHARS;
  const pieces: Piece[] = from > 0 ? [{ text: '…', isHit: false }] : [];
  let at = from;
  for (const hit of hits.filter((each) => each.from >= from && each.to <= to)) {
    if (hit.from > at) pieces.push({ text: line.slice(at, hit.from), isHit: false });
    pieces.push({ text: line.slice(hit.from, hit.to), isHit: true });
    at = hit.to;
  }
  if (at < line.length) pieces.push({ text: line.slice(at, to), isHit: false });
  return pieces;
}

interface Hit {
  readonly from: number;
  readonly to: number;
  readonly word: string;
}

/** The first one from which on the most of what was searched for is in view. */
function bestOf(hits: readonly Hit[]): Hit | undefined {
  let best: Hit | undefined;
  let most = 0;
  for (const [at, hit] of hits.entries()) {
    const words = new Set<string>();
    for (let i = at; (hits[i]?.to ?? Number.POSITIVE_INFINITY) <= hit.from + SEEN_CHARS; i++) {
      words.add(hits[i]?.word ?? '');
    }
    if (words.size <= most) continue;
    best = hit;
    most = words.size;
  }
  return best ?? hits[0];
}

/** Where a word of the query begins a word; in writing without spaces, anywhere. */
function hitsIn(line: string, query: string): readonly Hit[] {
  const words = [...new Set(query.match(/[\p{L}\p{N}\p{M}]+/gu))];
  if (words.length === 0) return [];
  // The longer one first: of two that begin alike it is the better hit.
  const any = words.toSorted((a, b) => b.length - a.length).join('|');
  const find = (pattern: string): readonly Hit[] =>
    [...line.matchAll(new RegExp(pattern, 'giu'))].map(({ 0: found, index }) => ({
      from: index,
      to: index + found.length,
      word: found.toLowerCase(),
    }));
  const atBegin = find(`(?<![\\p{L}\\p{N}\\p{M}])(?:${any})`);
  return atBegin.length > 0 ? atBegin : find(any);
}
