import type { Message } from '@stoa/protocol';
import { useEffect, useEffectEvent, useSyncExternalStore } from 'react';
import { go } from '../app/router.js';
import { pathTo } from '../app/routes.js';

let asked = 0;
let answered = 0;
const watchers = new Set<() => void>();

/** Opens the thread of a message to write in it. */
export function replyIn({ channelId, messageId, threadRootMessageId }: Message): void {
  asked += 1;
  go(pathTo.message(channelId, threadRootMessageId ?? messageId));
  for (const watcher of watchers) watcher();
}

/** Runs once for each time that somebody wanted to reply: where a thread is only looked at, nothing takes the focus. */
export function useReplyAsked(run: () => void): void {
  const count = useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => asked,
  );
  const latest = useEffectEvent(run);
  useEffect(() => {
    if (count === answered) return;
    answered = count;
    latest();
  }, [count]);
}
