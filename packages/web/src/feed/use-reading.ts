import { useEffect, useRef, useState } from 'react';
import type { ChannelView } from '../data/channel-view.js';
import { client } from '../data/client.js';
import { useConnection } from '../data/live.js';
import { comingTo, type Missed, missedSince, seenUpTo } from './missed.js';

interface Reading {
  readonly channelId: string;
  readonly view: ChannelView;
  readonly isAtEnd: boolean;
}

/**
 * Moves the read cursor while the end of the channel is visible. Returns the messages posted while the reader was
 * away, for the line that marks new ones.
 */
export function useReading({ channelId, view, isAtEnd }: Reading): Missed | undefined {
  const [missed, setMissed] = useState<Missed>();
  const reached = useRef(0);
  const isSeen = useIsSeen();
  const isLive = useConnection() === 'live';
  const isHere = isSeen && isLive;
  useEffect(() => {
    if (!isHere) return undefined;
    let isStillHere = true;
    void client.cursor.get(channelId).then(
      (cursor) => {
        reached.current = Math.max(reached.current, cursor.readSeq);
        if (isStillHere) setMissed(comingTo(cursor));
      },
      // Without a cursor nothing is new; non-members have none. A failed request is repeated.
      () => undefined,
    );
    return () => {
      isStillHere = false;
      setMissed(undefined);
    };
  }, [channelId, isHere]);
  const last = view.status === 'ready' ? view.messages.at(-1)?.seq : undefined;
  const hasCome = missed !== undefined;
  useEffect(() => {
    if (!hasCome || last === undefined) return;
    const before = reached.current;
    if (!isAtEnd) {
      if (last > before) setMissed((known) => known && missedSince(known, before));
      return;
    }
    setMissed((known) => known && seenUpTo(known, last));
    if (last <= before) return;
    reached.current = last;
    // One that is lost is made up for by the next message that is read.
    client.cursor.move(channelId, last).catch(() => undefined);
  }, [channelId, last, hasCome, isAtEnd]);
  return missed;
}

function useIsSeen(): boolean {
  const [isSeen, setSeen] = useState(() => document.visibilityState === 'visible');
  useEffect(() => {
    const look = (): void => setSeen(document.visibilityState === 'visible');
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, []);
  return isSeen;
}
