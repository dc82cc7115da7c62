import { type RefObject, useLayoutEffect, useRef, useState } from 'react';

/** How near to the end counts as at the end. */
const NEAR_PX = 24;

interface StuckToEnd {
  readonly box: RefObject<HTMLDivElement | null>;
  readonly isAtEnd: boolean;
  readonly toEnd: () => void;
  readonly onScroll: () => void;
}

/** A box that follows its growing content as long as its end is looked at; who scrolls up is left in peace. */
export function useStickToEnd(content: unknown): StuckToEnd {
  const box = useRef<HTMLDivElement>(null);
  const [isAtEnd, setAtEnd] = useState(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: to be done whenever there is more of it.
  useLayoutEffect(() => {
    if (isAtEnd && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [isAtEnd, content]);
  return {
    box,
    isAtEnd,
    toEnd: () => setAtEnd(true),
    onScroll: () => {
      const { scrollHeight = 0, scrollTop = 0, clientHeight = 0 } = box.current ?? {};
      setAtEnd(scrollHeight - scrollTop - clientHeight < NEAR_PX);
    },
  };
}
