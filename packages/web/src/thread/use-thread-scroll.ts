import { type RefObject, useLayoutEffect, useRef } from 'react';
import type { ChannelView } from '../data/channel-view.js';

/** How near to the end counts as being there. */
const AT_END_PX = 60;

/**
 * Brings the reply that is looked for into view, once; then follows the end while the reader is there, and
 * leads to it who has written something.
 */
export function useThreadScroll(
  view: ChannelView,
  pointedAt: string | undefined,
): RefObject<HTMLDivElement | null> {
  const scroller = useRef<HTMLDivElement>(null);
  const shown = useRef<string>(undefined);
  const isAtEnd = useRef(true);
  const lastSent = useRef<string>(undefined);
  const first = view.messages[0]?.messageId;
  const before = useRef({ first, height: 0 });
  useLayoutEffect(() => {
    const { current } = scroller;
    if (!current) return undefined;
    const look = (): void => {
      const below = current.scrollHeight - current.scrollTop - current.clientHeight;
      isAtEnd.current = below < AT_END_PX;
    };
    // The message box below may shrink the thread; its end must stay visible.
    const sized = new ResizeObserver(() => {
      if (isAtEnd.current) current.scrollTop = current.scrollHeight;
    });
    sized.observe(current);
    current.addEventListener('scroll', look, { passive: true });
    return () => {
      sized.disconnect();
      current.removeEventListener('scroll', look);
    };
  }, []);
  useLayoutEffect(() => {
    const { current } = scroller;
    if (!current) return;
    const sent = view.pending.at(-1)?.key;
    if (sent !== lastSent.current) {
      lastSent.current = sent;
      if (sent !== undefined) isAtEnd.current = true;
    }
    if (pointedAt !== undefined && shown.current !== pointedAt) {
      const row = current.querySelector(`[data-message-id="${CSS.escape(pointedAt)}"]`);
      if (row) {
        shown.current = pointedAt;
        isAtEnd.current = false;
        row.scrollIntoView({ block: 'center' });
      }
    } else if (isAtEnd.current) {
      current.scrollTop = current.scrollHeight;
    } else if (first !== before.current.first && current.scrollTop < 1) {
      // Earlier replies are inserted above; other browsers keep the scroll offset themselves.
      current.scrollTop = current.scrollHeight - before.current.height;
    }
    before.current = { first, height: current.scrollHeight };
  }, [view, pointedAt, first]);
  return scroller;
}
