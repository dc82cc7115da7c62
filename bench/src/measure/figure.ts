import type { Pair } from './alternate.js';
import { quartiles } from './quartiles.js';

/** A bound on the ratio, such as `>=3` or `<=1.5`. */
export type Goal = `>=${number}` | `<=${number}`;

/** One line of the result. */
export interface Figure {
  readonly bench: string;
  readonly part: string;
  readonly ours: number;
  readonly peer: number;
  readonly ratio: number;
  readonly q1: number;
  readonly q3: number;
  readonly unit: string;
  readonly goal: Goal;
  readonly met: boolean;
}

export type FigureLabel = Pick<Figure, 'bench' | 'part' | 'unit' | 'goal'>;

/** The ratio is the median of the ratios of the pairs, not the ratio of the medians. */
export function figureOf(label: FigureLabel, pairs: readonly Pair[]): Figure {
  const ratios = quartiles(pairs.map(({ ours, peer }) => ours / peer));
  return {
    bench: label.bench,
    part: label.part,
    ours: rounded(quartiles(pairs.map(({ ours }) => ours)).median),
    peer: rounded(quartiles(pairs.map(({ peer }) => peer)).median),
    ratio: rounded(ratios.median),
    q1: rounded(ratios.q1),
    q3: rounded(ratios.q3),
    unit: label.unit,
    goal: label.goal,
    met: isMet(label.goal, ratios.median),
  };
}

function isMet(goal: Goal, ratio: number): boolean {
  const bound = Number(goal.slice(2));
  return goal.startsWith('>=') ? ratio >= bound : ratio <= bound;
}

/** Four significant digits: more would claim more than was measured. */
function rounded(value: number): number {
  return Number(value.toPrecision(4));
}
