import type { Virtualizer } from '@tanstack/react-virtual';
import { useEffect, useEffectEvent, useLayoutEffect, useRef } from 'react';
import { usePath } from '../app/router.js';
import { historyEntry, leave } from './left-places.js';
import { placeOf } from './place-of.js';
import type { Row } from './rows.js';

interface Reading {
  readonly rows: readonly Row[];
  readonly isAtEnd: boolean;
  readonly virtual: Virtualizer<HTMLDivElement, Element>;
}

/** Remembers where the feed was left, for who comes back by the history of the browser. */
export function useLeftPlace({ rows, isAtEnd, virtual }: Reading): void {
  const path = usePath();
  const entry = useRef<string>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another path is another entry
  useEffect(() => {
    entry.current = historyEntry();
  }, [path]);
  const left = useEffectEvent(() => {
    if (entry.current === undefined) return;
    const starts = rows.map((_, index) => virtual.measurementsCache[index]?.start ?? 0);
    const place = placeOf(rows, { isAtEnd, offset: virtual.scrollOffset ?? 0, starts });
    if (place) leave(entry.current, place);
  });
  // Before the page is changed: what is not shown any more is not scrolled.
  useLayoutEffect(() => () => left(), []);
}
