import { ToolFailure } from '../tool-failure.js';

const EXPANSIONS = 100;
/** Total length of all patterns that the braces expand to. */
const EXPANDED_CHARS = 10_000;

/** One part of a pattern: a star, which matches any number of items, or a condition for exactly one item. */
interface Part {
  readonly isStar: boolean;
  /** The only item that matches, if there is just one. */
  readonly literal?: string;
  matches(item: string): boolean;
}

const STAR: Part = { isStar: true, matches: () => false };
const ANY: Part = { isStar: false, matches: () => true };
const literalPart = (literal: string): Part => ({
  isStar: false,
  literal,
  matches: (item) => item === literal,
});

/**
 * A glob for paths with `/`: `*` and `?` inside a name, `[a-z]`, `{a,b}`, `**` for any number of names, and `\`
 * before a literal character. The time to match is proportional to pattern times path: libraries that convert a
 * glob to a regular expression take exponential time for `*a*a*a*a*b`.
 */
export class GlobPattern {
  readonly #alternatives: readonly (readonly Part[])[];

  constructor(pattern: string) {
    this.#alternatives = [...new Set(expandBraces(pattern))].map((one) =>
      one.split('/').map((name) => (name === '**' ? STAR : namePart(name))),
    );
  }

  matches(path: string): boolean {
    return this.matchesNames(path.split('/'));
  }

  /** Like `matches`, for a path that is already split. */
  matchesNames(names: readonly string[]): boolean {
    return this.#alternatives.some((pattern) => matchesAll(pattern, names));
  }

  /** Whether a path below this directory could match. */
  reaches(directory: string): boolean {
    const names = directory.split('/');
    return this.#alternatives.some((pattern) => {
      for (const [index, name] of names.entries()) {
        const part = pattern[index];
        if (part === STAR) return true;
        if (part === undefined || !part.matches(name)) return false;
      }
      return pattern.length > names.length;
    });
  }
}

/** Matches names against a path pattern, or characters against a name pattern. Backtracks only to the last star. */
function matchesAll(pattern: readonly Part[], items: ArrayLike<string>): boolean {
  let p = 0;
  let i = 0;
  let star = -1;
  let resume = 0;
  while (i < items.length) {
    const part = pattern[p];
    if (part?.isStar === true) {
      star = p;
      resume = i;
      p += 1;
    } else if (part?.matches(items[i] ?? '') === true) {
      p += 1;
      i += 1;
    } else if (star >= 0) {
      resume += 1;
      i = resume;
      p = star + 1;
    } else return false;
  }
  while (pattern[p]?.isStar === true) p += 1;
  return p === pattern.length;
}

/** Compares the literal end of the pattern first, which rejects most names. */
function namePart(pattern: string): Part {
  const parts = characterParts(pattern);
  const lastWild = parts.findLastIndex(({ literal }) => literal === undefined);
  const end = parts
    .slice(lastWild + 1)
    .map(({ literal }) => literal)
    .join('');
  if (lastWild < 0) return literalPart(end);
  return { isStar: false, matches: (name) => name.endsWith(end) && matchesAll(parts, name) };
}

function characterParts(pattern: string): Part[] {
  const parts: Part[] = [];
  const lastClosing = pattern.lastIndexOf(']');
  for (let at = 0; at < pattern.length; ) {
    const character = pattern[at] ?? '';
    const isClosed = character === '[' && at + 2 <= lastClosing;
    const end = isClosed ? pattern.indexOf(']', at + 2) : -1;
    if (character === '*') {
      if (parts.at(-1) !== STAR) parts.push(STAR);
      at += 1;
    } else if (character === '?') {
      parts.push(ANY);
      at += 1;
    } else if (character === '\\' && at + 1 < pattern.length) {
      parts.push(literalPart(pattern[at + 1] ?? ''));
      at += 2;
    } else if (end >= 0) {
      const isNegated = pattern[at + 1] === '!' || pattern[at + 1] === '^';
      const members = pattern.slice(at + (isNegated ? 2 : 1), end);
      parts.push({ isStar: false, matches: (one) => isInClass(members, one) !== isNegated });
      at = end + 1;
    } else {
      parts.push(literalPart(character));
      at += 1;
    }
  }
  return parts;
}

function isInClass(members: string, character: string): boolean {
  for (let i = 0; i < members.length; i += 1) {
    const from = members[i] ?? '';
    const to = members[i + 1] === '-' ? members[i + 2] : undefined;
    if (to === undefined) {
      if (from === character) return true;
    } else {
      if (from <= character && character <= to) return true;
      i += 2;
    }
  }
  return false;
}

/** Expands `{a,b}`, the innermost braces first. */
function expandBraces(pattern: string): string[] {
  let open = [pattern];
  const done: string[] = [];
  while (open.length > 0) {
    const next: string[] = [];
    for (const one of open) {
      const found = innerBraces(one);
      if (!found) done.push(one);
      else {
        const before = one.slice(0, found.open);
        const after = one.slice(found.close + 1);
        const choices = one.slice(found.open + 1, found.close).split(',');
        for (const choice of choices) next.push(before + choice + after);
      }
    }
    const chars = next.reduce((sum, one) => sum + one.length, 0);
    if (next.length + done.length > EXPANSIONS || chars > EXPANDED_CHARS) {
      throw new ToolFailure(`The braces expand to more than ${EXPANSIONS} patterns`);
    }
    open = next;
  }
  return done;
}

/** The first braces that contain a comma and no other braces. */
function innerBraces(text: string): { readonly open: number; readonly close: number } | undefined {
  let open = -1;
  let hasChoice = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '{') {
      open = at;
      hasChoice = false;
    } else if (character === ',') hasChoice = true;
    else if (character === '}') {
      if (open >= 0 && hasChoice) return { open, close: at };
      open = -1;
    }
  }
  return undefined;
}
