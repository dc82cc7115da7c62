import { useSyncExternalStore } from 'react';

/** Where a message is shown: the same one may stand in the feed and in its thread. */
export type Where = 'feed' | 'thread';

let edited: string | undefined;
const watchers = new Set<() => void>();

const keyOf = (messageId: string, where: Where): string => `${where} ${messageId}`;

function set(next: string | undefined): void {
  edited = next;
  for (const watcher of watchers) watcher();
}

/** One message at a time is being edited. */
export const editing = {
  begin: (messageId: string, where: Where): void => set(keyOf(messageId, where)),
  end: (): void => set(undefined),
};

export function useIsEdited(messageId: string, where: Where): boolean {
  return useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => edited === keyOf(messageId, where),
  );
}
