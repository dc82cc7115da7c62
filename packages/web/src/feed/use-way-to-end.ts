import type { Virtualizer } from '@tanstack/react-virtual';
import { useCallback, useEffect, useRef } from 'react';
import type { Row } from './rows.js';
import { whenSettled } from './settled.js';

/**
 * Leads to the last row, also when others come in above it on the way, or a key is still being answered: a browser
 * goes on with what it scrolls for one from wherever it is put. Unless somewhere else is gone to by then.
 */
export function useWayToEnd(
  virtual: Virtualizer<HTMLDivElement, Element>,
  rows: readonly Row[],
  isElsewhere: () => boolean,
): () => void {
  const underWay = useRef(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: that the rows changed is what it is about
  useEffect(() => {
    if (underWay.current > 0 && !isElsewhere()) virtual.scrollToEnd();
  }, [rows, virtual, isElsewhere]);
  return useCallback(() => {
    underWay.current += 1;
    virtual.scrollToEnd();
    const goOn = () => {
      if (!isElsewhere() && !virtual.isAtEnd()) virtual.scrollToEnd();
    };
    whenSettled(() => {
      underWay.current -= 1;
    }, goOn);
  }, [virtual, isElsewhere]);
}
