import { ToolFailure } from '../tool-failure.js';

const EXPANSIONS = 100;

/**
 * A glob over paths with `/`: `*` and `?` inside a name, `[a-z]`, `{a,b}`, and `**` for any number of
 * names. It matches in time that grows with pattern times path, whatever the pattern is.
 */
export class GlobPattern {
  readonly #alternatives: readonly (readonly string[])[];

  constructor(pattern: string) {
    this.#alternatives = expandBraces(pattern).map((one) => one.split('/'));
  }

  matches(path: string): boolean {
    const names = path.split('/');
    return this.#alternatives.some((pattern) => matchNames(pattern, names));
  }

  /** Whether anything below this directory could match: keeps a walk out of where it cannot. */
  reaches(directory: string): boolean {
    const names = directory.split('/');
    return this.#alternatives.some((pattern) => {
      for (const [index, name] of names.entries()) {
        const part = pattern[index];
        if (part === '**') return true;
        if (part === undefined || !matchName(part, name)) return false;
      }
      return pattern.length > names.length;
    });
  }
}

/** Goes back to the last `**` only: an earlier one cannot do better. */
function matchNames(pattern: readonly string[], names: readonly string[]): boolean {
  let p = 0;
  let n = 0;
  let star = -1;
  let resume = 0;
  while (n < names.length) {
    if (pattern[p] === '**') {
      star = p;
      resume = n;
      p += 1;
    } else if (p < pattern.length && matchName(pattern[p] ?? '', names[n] ?? '')) {
      p += 1;
      n += 1;
    } else if (star >= 0) {
      resume += 1;
      n = resume;
      p = star + 1;
    } else return false;
  }
  while (pattern[p] === '**') p += 1;
  return p === pattern.length;
}

/** The same for `*` inside one name. */
function matchName(pattern: string, name: string): boolean {
  let p = 0;
  let n = 0;
  let star = -1;
  let resume = 0;
  while (n < name.length) {
    const taken = pattern[p] === '*' ? undefined : matchCharacter(pattern, p, name[n] ?? '');
    if (pattern[p] === '*') {
      star = p;
      resume = n;
      p += 1;
    } else if (taken !== undefined) {
      p = taken;
      n += 1;
    } else if (star >= 0) {
      resume += 1;
      n = resume;
      p = star + 1;
    } else return false;
  }
  while (pattern[p] === '*') p += 1;
  return p === pattern.length;
}

/** Where the pattern goes on after one character; undefined when it does not match. */
function matchCharacter(pattern: string, at: number, character: string): number | undefined {
  const wanted = pattern[at];
  if (wanted === undefined) return undefined;
  if (wanted === '?') return at + 1;
  if (wanted === '\\' && at + 1 < pattern.length) {
    return pattern[at + 1] === character ? at + 2 : undefined;
  }
  const end = wanted === '[' ? pattern.indexOf(']', at + 2) : -1;
  if (end < 0) return wanted === character ? at + 1 : undefined;
  const isNegated = pattern[at + 1] === '!' || pattern[at + 1] === '^';
  const isIn = inClass(pattern.slice(at + (isNegated ? 2 : 1), end), character);
  return isIn === isNegated ? undefined : end + 1;
}

function inClass(members: string, character: string): boolean {
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

/** `{a,b}` is written out, from the inside, as often as it stands there. */
function expandBraces(pattern: string): string[] {
  let open = [pattern];
  const done: string[] = [];
  while (open.length > 0) {
    const next: string[] = [];
    for (const one of open) {
      const found = /\{([^{}]*,[^{}]*)\}/.exec(one);
      if (!found) done.push(one);
      else {
        const before = one.slice(0, found.index);
        const after = one.slice(found.index + found[0].length);
        for (const choice of (found[1] ?? '').split(',')) next.push(before + choice + after);
      }
    }
    if (next.length + done.length > EXPANSIONS) {
      throw new ToolFailure(`The pattern stands for more than ${EXPANSIONS} patterns`);
    }
    open = next;
  }
  return done;
}
