import { Pattern } from '../../patterns/pattern.js';
import { PatternProblem } from '../../patterns/pattern-syntax.js';

/** Every line is matched on the main thread, so the number of instructions of a pattern is limited. */
const MAX_INSTRUCTIONS = 100;
const UNCOUNTED = { spend: (): void => undefined };

export interface FilterPatterns {
  /** Only lines that match it pass. */
  readonly include?: string | undefined;
  /** Lines that match it do not pass. */
  readonly exclude?: string | undefined;
}

/** Decides which lines are sent, in time that is linear in the length of the line. */
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
  if (pattern.size > MAX_INSTRUCTIONS) {
    throw new PatternProblem(
      `it takes ${pattern.size} steps, at most ${MAX_INSTRUCTIONS} are allowed`,
    );
  }
  return pattern;
}
