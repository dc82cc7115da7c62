import { useSyncExternalStore } from 'react';

/** A dialog that several components can open. */
export type AskedDialog = 'new-channel' | 'new-agent';

let asked: AskedDialog | undefined;
const watchers = new Set<() => void>();

function set(next: AskedDialog | undefined): void {
  asked = next;
  for (const watcher of watchers) watcher();
}

export const askedDialog = {
  open: (next: AskedDialog): void => set(next),
  close: (): void => set(undefined),
};

export function useAskedDialog(): AskedDialog | undefined {
  return useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => asked,
  );
}
