import { type RefObject, useLayoutEffect, useRef, useState } from 'react';

/** How near to the end counts as at the end. */
const NEAR_PX = 24;

interface StuckToEnd {
  readonly box: RefObject<HTMLDivElement | null>;
  readonly isAtEnd: boolean;
  readonly toEnd: () => void;
  readonly onScroll: () => void;
}

/**
 * A box that follows its growing content while its end is visible; after scrolling up it stays, also during
 * what is put in before `first`.
 */
export function useStickToEnd(content: unknown, first?: string): StuckToEnd {
  const box = useRef<HTMLDivElement>(null);
  const [isAtEnd, setAtEnd] = useState(true);
  const before = useRef({ first, height: 0 });
  // biome-ignore lint/correctness/useExhaustiveDependencies: to be done whenever there is more of it.
  useLayoutEffect(() => {
    const { current } = box;
    if (!current) return;
    if (isAtEnd) current.scrollTop = current.scrollHeight;
    // Other browsers keep the scroll offset themselves.
    else if (before.current.first !== first && current.scrollTop < 1) {
      current.scrollTop = current.scrollHeight - before.current.height;
    }
    before.current = { first, height: current.scrollHeight };
  }, [isAtEnd, content, first]);
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
