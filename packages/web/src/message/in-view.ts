interface Extent {
  readonly top: number;
  readonly bottom: number;
}

/** Those that are seen as a whole; where none is, those of which a part is. */
export function inView<T>(
  all: readonly T[],
  extentOf: (one: T) => Extent,
  view: Extent,
): readonly T[] {
  const seen = all.map((one) => ({ one, at: extentOf(one) }));
  const whole = seen.filter(({ at }) => at.top >= view.top && at.bottom <= view.bottom);
  const found =
    whole.length > 0
      ? whole
      : seen.filter(({ at }) => at.bottom > view.top && at.top < view.bottom);
  return found.map(({ one }) => one);
}
