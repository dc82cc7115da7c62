import { useEffect, useEffectEvent, useSyncExternalStore } from 'react';

/**
 * Every shortcut of the page. A feature brings its own with `useKey` while it is shown; what is here at
 * the moment is what `?` lists.
 */
export interface Shortcut {
  /** As it is written down: `?`, `g c`, `Mod+K`, `Alt+ArrowDown`. `Mod` is ⌘ on a Mac, Ctrl elsewhere. */
  readonly keys: string;
  readonly does: string;
  /** Under which heading it is listed. */
  readonly group: string;
  readonly run: (event: KeyboardEvent) => void;
}

let shortcuts: readonly Shortcut[] = [];
const watchers = new Set<() => void>();

function change(next: readonly Shortcut[]): void {
  shortcuts = next;
  for (const watcher of watchers) watcher();
}

function register(shortcut: Shortcut): () => void {
  change([...shortcuts, shortcut]);
  return () => change(shortcuts.filter((each) => each !== shortcut));
}

/** A key that is undefined is not taken, for what is only sometimes possible. */
export function useKey(
  keys: string | undefined,
  { does, group = 'Everywhere' }: { readonly does: string; readonly group?: string },
  run: (event: KeyboardEvent) => void,
): void {
  const latest = useEffectEvent(run);
  useEffect(() => {
    if (keys === undefined) return undefined;
    return register({ keys, does, group, run: (event) => latest(event) });
  }, [keys, does, group]);
}

export function useShortcuts(): readonly Shortcut[] {
  return useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => shortcuts,
  );
}

/** The one that was registered last wins: what lies on top has the keys. */
export function shortcutFor(written: string): Shortcut | undefined {
  return shortcuts.findLast(({ keys }) => keys === written);
}
