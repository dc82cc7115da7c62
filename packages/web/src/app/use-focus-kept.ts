import { type RefObject, useEffect, useRef } from 'react';

/**
 * Who goes elsewhere with the keyboard must not be thrown back to the top of the page. Where what had the focus is
 * gone or covered, it goes to what leads back to where one was, or else to what is shown now.
 */
export function useFocusKept(path: string, shown: RefObject<HTMLElement | null>): void {
  const before = useRef(path);
  useEffect(() => {
    const left = before.current;
    before.current = path;
    if (left === path) return undefined;
    // What is covered has lost the focus only when the page was drawn.
    const frame = requestAnimationFrame(() => {
      const { activeElement } = document;
      const isLost = activeElement === document.body || !isShown(activeElement);
      if (isLost) (wayBackTo(left, shown.current) ?? shown.current)?.focus();
    });
    return () => cancelAnimationFrame(frame);
  }, [path, shown]);
}

function wayBackTo(path: string, within: HTMLElement | null): HTMLElement | undefined {
  const messageId = /\/m\/([^/]+)$/.exec(path)?.[1] ?? '';
  const ways = [`a[href="${CSS.escape(path)}"]`, `[data-message-id="${CSS.escape(messageId)}"]`];
  return ways
    .flatMap((way) => [...(within?.querySelectorAll<HTMLElement>(way) ?? [])])
    .find(isShown);
}

function isShown(element: Element | null): boolean {
  return element?.checkVisibility({ visibilityProperty: true }) === true;
}
