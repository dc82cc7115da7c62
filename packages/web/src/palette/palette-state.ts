import { useSyncExternalStore } from 'react';

/** What the palette finds: all destinations and actions, or only messages. */
export type PaletteMode = 'all' | 'messages';

let mode: PaletteMode | undefined;
const watchers = new Set<() => void>();

function set(next: PaletteMode | undefined): void {
  mode = next;
  for (const watcher of watchers) watcher();
}

export const palette = {
  open: (next: PaletteMode): void => set(next),
  close: (): void => set(undefined),
};

export function usePaletteMode(): PaletteMode | undefined {
  return useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => mode,
  );
}
