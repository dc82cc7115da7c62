import { ToolFailure } from '../tool-failure.js';
import { NamePattern } from './name-pattern.js';

const EXPANSIONS = 100;
/** Of all patterns that the braces expand to, together. */
const EXPANDED_CHARS = 10_000;

const ANY_NAMES = '**';
type Part = NamePattern | typeof ANY_NAMES;

/**
 * A glob over paths with `/`: `*` and `?` inside a name, `[a-z]`, `{a,b}`, and `**` for any number of
 * names. It matches in time that grows with pattern times path, whatever the pattern is: libraries that
 * turn a glob into a regular expression take exponential time for `*a*a*a*a*b`.
 */
export class GlobPattern {
  readonly #alternatives: readonly (readonly Part[])[];

  constructor(pattern: string) {
    this.#alternatives = [...new Set(expandBraces(pattern))].map((one) =>
      one.split('/').map((name) => (name === ANY_NAMES ? ANY_NAMES : new NamePattern(name))),
    );
  }

  matches(path: string): boolean {
    return this.matchesNames(path.split('/'));
  }

  /** The same for a path that is split already. */
  matchesNames(names: readonly string[]): boolean {
    return this.#alternatives.some((pattern) => matchNames(pattern, names));
  }

  /** Whether anything below this directory could match: keeps a walk out of where it cannot. */
  reaches(directory: string): boolean {
    const names = directory.split('/');
    return this.#alternatives.some((pattern) => {
      for (const [index, name] of names.entries()) {
        const part = pattern[index];
        if (part === ANY_NAMES) return true;
        if (part === undefined || !part.matches(name)) return false;
      }
      return pattern.length > names.length;
    });
  }
}

/** Goes back to the last `**` only: an earlier one cannot do better. */
function matchNames(pattern: readonly Part[], names: readonly string[]): boolean {
  let p = 0;
  let n = 0;
  let star = -1;
  let resume = 0;
  while (n < names.length) {
    const part = pattern[p];
    if (part === ANY_NAMES) {
      star = p;
      resume = n;
      p += 1;
    } else if (part?.matches(names[n] ?? '') === true) {
      p += 1;
      n += 1;
    } else if (star >= 0) {
      resume += 1;
      n = resume;
      p = star + 1;
    } else return false;
  }
  while (pattern[p] === ANY_NAMES) p += 1;
  return p === pattern.length;
}

/** `{a,b}` is written out, from the inside, as often as it stands there. */
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
      throw new ToolFailure(`The pattern stands for more than ${EXPANSIONS} patterns`);
    }
    open = next;
  }
  return done;
}

/** The first braces that have a comma and no braces in them. */
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
