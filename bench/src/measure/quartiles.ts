/** The value below which a share of the sorted values lies, between neighbours by proportion. */
export function quantile(sorted: ArrayLike<number>, share: number): number {
  const position = (sorted.length - 1) * share;
  const below = sorted[Math.floor(position)] ?? Number.NaN;
  const above = sorted[Math.ceil(position)] ?? Number.NaN;
  return below + (above - below) * (position - Math.floor(position));
}

export interface Quartiles {
  readonly q1: number;
  readonly median: number;
  readonly q3: number;
}

export function quartiles(values: readonly number[]): Quartiles {
  const sorted = Float64Array.from(values).sort();
  return {
    q1: quantile(sorted, 0.25),
    median: quantile(sorted, 0.5),
    q3: quantile(sorted, 0.75),
  };
}
