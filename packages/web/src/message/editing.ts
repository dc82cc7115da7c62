import { useSyncExternalStore } from 'react';

/** Where a message is shown: the same one may stand in the feed and in its thread. */
export type Where = 'feed' | 'thread';

interface Edited {
  readonly messageId: string;
  readonly where: Where;
  /** As far as it is written: who scrolls away and comes back goes on there. */
  text: string | undefined;
}

let edited: Edited | undefined;
const watchers = new Set<() => void>();

function set(next: Edited | undefined): void {
  edited = next;
  for (const watcher of watchers) watcher();
}

/** One message at a time is being edited. */
export const editing = {
  begin: (messageId: string, where: Where): void => {
    const isGoingOn = edited?.messageId === messageId && edited.where === where;
    if (!isGoingOn) set({ messageId, where, text: undefined });
  },
  end: (): void => set(undefined),
  /** Only the editor of the message needs to know. */
  write: (text: string): void => {
    if (edited) edited.text = text;
  },
  get text(): string | undefined {
    return edited?.text;
  },
};

/** The message that is being edited there. */
export function useEdited(where: Where): string | undefined {
  return useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => (edited?.where === where ? edited.messageId : undefined),
  );
}
