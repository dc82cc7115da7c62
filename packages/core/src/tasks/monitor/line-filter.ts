import { Pattern } from '../../patterns/pattern.js';
import { PatternProblem } from '../../patterns/pattern-syntax.js';

/** The most instructions of one pattern: every line is tried, on the thread that serves everybody. */
const INSTRUCTIONS = 100;
const UNCOUNTED = { spend: (): void => undefined };

export interface FilterPatterns {
  /** Only lines that match it. */
  readonly include?: string | undefined;
  /** No lines that match it. */
  readonly exclude?: string | undefined;
}

/** Which lines are of interest. Takes time that grows with the line and no faster. */
export class LineFilter {
  readonly #include: Pattern | undefined;
  readonly #exclude: Pattern | undefined;

  /** Throws PatternProblem. */
  constructor({ include, exclude }: FilterPatterns) {
    this.#include = include === undefined ? undefined : small(include);
    this.#exclude = exclude === undefined ? undefined : small(exclude);
  }

  passes(text: string): boolean {
    if (this.#include && !this.#include.exec(text, UNCOUNTED)) return false;
    return !this.#exclude?.exec(text, UNCOUNTED);
  }
}

function small(source: string): Pattern {
  const pattern = new Pattern(source);
  if (pattern.size > INSTRUCTIONS) {
    throw new PatternProblem(`it takes ${pattern.size} steps, at most ${INSTRUCTIONS} are allowed`);
  }
  return pattern;
}
