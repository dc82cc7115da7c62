import type { Virtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef } from 'react';
import type { ChannelMessages } from '../data/channel-messages.js';
import type { ChannelView } from '../data/channel-view.js';
import { useMessage } from '../data/use-message.js';
import type { Row } from './rows.js';

interface PointedAt {
  readonly channelId: string;
  readonly messageId: string | undefined;
  readonly view: ChannelView;
  readonly rows: readonly Row[];
  readonly messages: ChannelMessages;
  readonly virtual: Virtualizer<HTMLDivElement, Element>;
}

/** Brings a message that was gone to into view, once: from then on the reader scrolls. */
export function usePointedAt(asked: PointedAt): void {
  const { channelId, messageId, view, rows, messages, virtual } = asked;
  const { data: message } = useMessage(channelId, messageId);
  const shown = useRef<string>(undefined);
  const seq = message?.seq;
  const isReady = view.status === 'ready';
  useEffect(() => {
    shown.current = undefined;
    if (isReady && seq !== undefined) void messages.showAround(seq);
  }, [messages, isReady, seq]);
  useEffect(() => {
    if (messageId === undefined || !isReady || shown.current === messageId) return;
    const index = rows.findIndex(({ key }) => key === messageId);
    if (index < 0) return;
    shown.current = messageId;
    if (!isInView(virtual, messageId)) virtual.scrollToIndex(index, { align: 'center' });
  }, [messageId, rows, isReady, virtual]);
}

function isInView(virtual: PointedAt['virtual'], messageId: string): boolean {
  const { scrollElement } = virtual;
  const row = scrollElement?.querySelector(`[data-message-id="${CSS.escape(messageId)}"]`);
  if (!scrollElement || !row) return false;
  const [outer, inner] = [scrollElement.getBoundingClientRect(), row.getBoundingClientRect()];
  return inner.top >= outer.top && inner.bottom <= outer.bottom;
}
