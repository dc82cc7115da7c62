import type { Message } from '@stoa/protocol';
import { useEffect, useEffectEvent, useSyncExternalStore } from 'react';
import { go } from '../app/router.js';
import { pathTo } from '../app/routes.js';
import { keys, queryClient } from '../data/queries.js';

let asked = 0;
let answered = 0;
const watchers = new Set<() => void>();

/** Opens the thread of a message to write in it. */
export function replyIn(message: Message): void {
  const { channelId, messageId, threadRootMessageId } = message;
  asked += 1;
  // It is known: who types on at once must not have to wait until it is read again.
  if (threadRootMessageId === undefined) {
    queryClient.setQueryData(keys.message(channelId, messageId), message);
  }
  go(pathTo.messagePage(channelId, threadRootMessageId ?? messageId));
  for (const watcher of watchers) watcher();
}

/** Runs once for each request to reply; opening a thread alone does not move the focus. */
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
