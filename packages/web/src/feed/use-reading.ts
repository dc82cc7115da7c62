import { useEffect, useRef, useState } from 'react';
import type { ChannelView } from '../data/channel-view.js';
import { client } from '../data/client.js';
import { useConnection } from '../data/live.js';

interface Reading {
  readonly channelId: string;
  readonly view: ChannelView;
  readonly isAtEnd: boolean;
}

/**
 * Moves the read cursor while the end of the channel is looked at. Returns how far it was read when the
 * reader came, or came back: where the line stands that says what is new.
 */
export function useReading({ channelId, view, isAtEnd }: Reading): number | undefined {
  const [cameAt, setCameAt] = useState<number>();
  const reached = useRef(0);
  const isSeen = useIsSeen();
  const hasCome = cameAt !== undefined;
  const isLive = useConnection() === 'live';
  useEffect(() => {
    if (!isLive || hasCome) return undefined;
    let isHere = true;
    void client.cursor.get(channelId).then(
      ({ readSeq }) => {
        reached.current = Math.max(reached.current, readSeq);
        if (isHere) setCameAt(readSeq);
      },
      // Without a cursor nothing is new; whoever is no member has none. Who was not answered asks again.
      () => undefined,
    );
    return () => {
      isHere = false;
    };
  }, [channelId, isLive, hasCome]);
  useEffect(() => {
    if (!isSeen && reached.current > 0) setCameAt(reached.current);
  }, [isSeen]);
  const last = view.status === 'ready' ? view.messages.at(-1)?.seq : undefined;
  const mayMove = cameAt !== undefined && isSeen && isAtEnd;
  useEffect(() => {
    if (!mayMove || last === undefined || last <= reached.current) return;
    reached.current = last;
    // One that is lost is made up for by the next message that is read.
    client.cursor.move(channelId, last).catch(() => undefined);
  }, [channelId, last, mayMove]);
  return cameAt;
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
