import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import type { ChannelMessages } from '../data/channel-messages.js';
import type { ChannelView } from '../data/channel-view.js';
import { isMissing, isTemporary } from '../data/failures.js';
import { useEdited } from '../message/editing.js';
import { Button } from '../ui/button.js';
import { Empty } from '../ui/empty.js';
import { Icon } from '../ui/icon.js';
import { isSameDay } from './days.js';
import { FeedRow } from './feed-row.js';
import { type Row, rowsOf } from './rows.js';
import { usePointedAt } from './use-pointed-at.js';
import type { Pointed } from './use-pointing.js';
import { useReading } from './use-reading.js';
import { useReadingPosition } from './use-reading-position.js';
import { useWayToEnd } from './use-way-to-end.js';

interface FeedProps {
  readonly channelId: string;
  readonly me: string;
  readonly view: ChannelView;
  readonly messages: ChannelMessages;
  /** A message that was gone to: it is brought into view. */
  readonly pointed: Pointed | undefined;
}

/** Near an edge of what is loaded, more of it is asked for: about two screens before it would be missed. */
const NEAR_PX = 1_600;
/** How near to the end counts as being there: then what is new pushes the rest up. */
const AT_END_PX = 80;

const ESTIMATES: Readonly<Record<Row['kind'], number>> = {
  beginning: 130,
  day: 36,
  unread: 28,
  message: 64,
  pending: 44,
  draft: 64,
};

export function Feed({ channelId, me, view, messages, pointed }: FeedProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const [isAtEnd, setAtEnd] = useState(true);
  const missed = useReading({ channelId, view, isAtEnd });
  const rows = useMemo(() => rowsOf(view, { me, missed, isSameDay }), [view, me, missed]);
  const { hasNewer } = view;
  const hadNewer = useRef(false);
  useEffect(() => {
    hadNewer.current = hasNewer;
  }, [hasNewer]);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => ESTIMATES[rows[index]?.kind ?? 'message'],
    getItemKey: (index) => rows[index]?.key ?? index,
    overscan: 8,
    paddingEnd: 10,
    // What is loaded above does not move what is read; what comes below does only at the end of the log: who
    // is at the end of a stretch of the past would scroll through all messages since.
    anchorTo: 'end',
    followOnAppend: !hasNewer && !hadNewer.current,
    scrollEndThreshold: AT_END_PX,
  });
  const isReady = view.status === 'ready';
  const isOnTheWay = usePointedAt({
    channelId,
    pointed,
    view,
    rows,
    messages,
    virtual,
    onShown: () => checkScroll(),
  });
  const goToEnd = useWayToEnd(virtual, rows, isOnTheWay);
  useReadingPosition({ rows, isAtEnd, virtual });
  useEffect(() => {
    if (isReady && !isOnTheWay()) goToEnd();
  }, [isReady, isOnTheWay, goToEnd]);
  // Own words are always seen, wherever one was when writing them.
  const sent = view.pending.at(-1)?.key;
  const isSought = useRef(false);
  useEffect(() => {
    isSought.current = sent !== undefined;
  }, [sent]);
  useEffect(() => {
    if (!isSought.current || hasNewer) return;
    isSought.current = false;
    goToEnd();
  }, [sent, hasNewer, goToEnd]);
  const height = useRef<number>(undefined);
  const checkScroll = (): void => {
    const { current } = scroller;
    if (!current || current.clientHeight === 0) return;
    // The message box below may shrink the feed; its end must stay visible.
    const isResized = height.current !== undefined && height.current !== current.clientHeight;
    if (isResized && isAtEnd && !isOnTheWay()) virtual.scrollToEnd();
    height.current = current.clientHeight;
    const below = current.scrollHeight - current.scrollTop - current.clientHeight;
    setAtEnd(below < AT_END_PX && !view.hasNewer);
    // What lies near only on the way is not asked for.
    if (isOnTheWay()) return;
    if (current.scrollTop < NEAR_PX) void messages.loadOlder();
    if (below < NEAR_PX) void messages.loadNewer();
  };
  useEffect(checkScroll);
  const checkScrollAgain = useEffectEvent(checkScroll);
  useEffect(() => {
    const { current } = scroller;
    if (!current) return undefined;
    const sized = new ResizeObserver(() => checkScrollAgain());
    sized.observe(current);
    return () => sized.disconnect();
  }, []);
  // One's last message may lie far above.
  const edited = useEdited('feed');
  const bringToEdited = useEffectEvent(() => {
    const index = rows.findIndex(({ key }) => key === edited);
    if (index >= 0) virtual.scrollToIndex(index, { align: 'auto' });
  });
  useEffect(() => {
    if (edited !== undefined) bringToEdited();
  }, [edited]);
  const items = virtual.getVirtualItems();
  return (
    <div className="relative flex min-h-0 grow flex-col">
      <div
        ref={scroller}
        role="log"
        aria-label="Messages"
        aria-busy={!isReady}
        // Messages that load while scrolling are old: do not announce them.
        aria-live={isAtEnd ? 'polite' : 'off'}
        tabIndex={0}
        onScroll={checkScroll}
        className="flex min-h-0 grow flex-col overflow-y-auto [overflow-anchor:none]"
      >
        <FeedState view={view} />
        <div
          className="relative mt-auto w-full shrink-0"
          style={{ height: virtual.getTotalSize() }}
        >
          {/* Not by a transform, of which what sticks to an edge of the screen knows nothing. */}
          <div className="absolute inset-x-0" style={{ top: items[0]?.start ?? 0 }}>
            {items.map(({ index, key }) => {
              const row = rows[index];
              return row ? (
                <div key={key} data-index={index} ref={virtual.measureElement}>
                  <FeedRow row={row} channelId={channelId} messages={messages} />
                </div>
              ) : null;
            })}
          </div>
        </div>
      </div>
      {isReady && !isAtEnd ? (
        <JumpToEnd
          onClick={() => {
            void messages.showEnd().then(goToEnd);
          }}
        />
      ) : null}
    </div>
  );
}

/** Notice above or instead of the messages: there are none to show, and why. */
function FeedState({ view }: { readonly view: ChannelView }) {
  const { status, problem, messages, loading } = view;
  if (status === 'failed' && messages.length === 0) {
    if (isTemporary(problem)) {
      return (
        <Empty title="This channel cannot be loaded now">It loads when the daemon is back.</Empty>
      );
    }
    const isGone = isMissing(problem);
    return (
      <Empty title={isGone ? 'There is no such channel' : 'This channel cannot be loaded'}>
        {isGone
          ? 'It was deleted, or the address is wrong. The others are in the list of channels.'
          : (problem?.detail ?? 'The daemon gave no reason.')}
      </Empty>
    );
  }
  if (loading === 'older') {
    return <p className="py-2 text-center text-xs text-faint">Loading earlier messages…</p>;
  }
  return null;
}

function JumpToEnd({ onClick }: { readonly onClick: () => void }) {
  return (
    <div className="pointer-events-none absolute inset-x-0 bottom-2 flex justify-center">
      <Button onClick={onClick} className="pointer-events-auto rounded-full shadow-raised">
        <Icon name="down" />
        Newest
      </Button>
    </div>
  );
}
