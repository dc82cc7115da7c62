import type { Virtualizer } from '@tanstack/react-virtual';
import { useEffect, useEffectEvent, useLayoutEffect, useRef } from 'react';
import { usePath } from '../app/router.js';
import { historyEntry, keepPosition, positionOf } from './reading-position.js';
import type { Row } from './rows.js';

interface Reading {
  readonly rows: readonly Row[];
  readonly isAtEnd: boolean;
  readonly virtual: Virtualizer<HTMLDivElement, Element>;
}

/** Keeps the reading position of the feed for the Back button of the browser. */
export function useReadingPosition({ rows, isAtEnd, virtual }: Reading): void {
  const path = usePath();
  const entry = useRef<string>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another path is another entry
  useEffect(() => {
    entry.current = historyEntry();
  }, [path]);
  const keep = useEffectEvent(() => {
    if (entry.current === undefined) return;
    const starts = rows.map((_, index) => virtual.measurementsCache[index]?.start ?? 0);
    const position = positionOf(rows, { isAtEnd, offset: virtual.scrollOffset ?? 0, starts });
    if (position) keepPosition(entry.current, position);
  });
  // Before the page changes: an unmounted feed has no scroll offset.
  useLayoutEffect(() => () => keep(), []);
}
