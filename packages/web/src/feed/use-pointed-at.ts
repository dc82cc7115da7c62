import type { Virtualizer } from '@tanstack/react-virtual';
import { useCallback, useEffect, useEffectEvent, useRef } from 'react';
import type { ChannelMessages } from '../data/channel-messages.js';
import type { ChannelView } from '../data/channel-view.js';
import { useMessage } from '../data/use-message.js';
import type { Row } from './rows.js';
import { whenSettled } from './settled.js';
import type { Pointed } from './use-pointing.js';

interface PointedAt {
  readonly channelId: string;
  readonly pointed: Pointed | undefined;
  readonly view: ChannelView;
  readonly rows: readonly Row[];
  readonly messages: ChannelMessages;
  readonly virtual: Virtualizer<HTMLDivElement, Element>;
  readonly onShown: () => void;
}

/**
 * Brings a message that was gone to into view, once: from then on the reader scrolls. Returns whether it is on
 * the way there.
 */
export function usePointedAt(props: PointedAt): () => boolean {
  const { channelId, pointed, view, rows, messages, virtual } = props;
  const onShown = useEffectEvent(props.onShown);
  const { data: message } = useMessage(channelId, pointed?.messageId);
  const shown = useRef<Pointed>(undefined);
  const asked = useRef<{ readonly pointed: Pointed; readonly index: number }>(undefined);
  const underWay = useRef(0);
  const seq = message?.seq;
  const isReady = view.status === 'ready';
  useEffect(() => {
    if (!pointed || !isReady || seq === undefined || shown.current === pointed) return;
    void messages.showAround(seq);
  }, [messages, isReady, seq, pointed]);
  useEffect(() => {
    if (!pointed || !isReady || shown.current === pointed) return;
    const index = rows.findIndex(({ key }) => key === pointed.messageId);
    if (index < 0) return;
    const isNew = asked.current?.pointed !== pointed;
    if (isNew && pointed.into === undefined && isInView(virtual, pointed.messageId)) {
      shown.current = pointed;
      return;
    }
    if (!isNew && asked.current?.index === index) return;
    asked.current = { pointed, index };
    scrollTo(virtual, index, pointed.into);
    if (!isNew) return;
    underWay.current += 1;
    const goOn = (): void => {
      // What comes into view on the way is as high as it is only then.
      if (asked.current?.pointed === pointed && pointed.into !== undefined) {
        scrollTo(virtual, asked.current.index, pointed.into);
      }
    };
    whenSettled(() => {
      underWay.current -= 1;
      if (asked.current?.pointed === pointed) shown.current = pointed;
      onShown();
    }, goOn);
  }, [pointed, rows, isReady, virtual]);
  return useCallback(() => underWay.current > 0, []);
}

function scrollTo(virtual: PointedAt['virtual'], index: number, into: number | undefined): void {
  if (into === undefined) {
    virtual.scrollToIndex(index, { align: 'center' });
    return;
  }
  const [start = 0] = virtual.getOffsetForIndex(index, 'start') ?? [];
  // Do not scroll there again: while the list is scrolling, it does not compensate for rows loaded above.
  const isThere = Math.abs((virtual.scrollOffset ?? 0) - start - into) < 1;
  if (!isThere) virtual.scrollToOffset(start + into);
}

function isInView(virtual: PointedAt['virtual'], messageId: string): boolean {
  const { scrollElement } = virtual;
  const row = scrollElement?.querySelector(`[data-message-id="${CSS.escape(messageId)}"]`);
  if (!scrollElement || !row) return false;
  const [outer, inner] = [scrollElement.getBoundingClientRect(), row.getBoundingClientRect()];
  return inner.top >= outer.top && inner.bottom <= outer.bottom;
}
