import { useEffect, useSyncExternalStore } from 'react';

/*
 * What is written in a form and not saved yet is not thrown away without a word, however one leaves it:
 *
 *   nothing unsaved ──leave──▶ left
 *   unsaved ──leave──▶ asked ──Leave──▶ left
 *                      asked ──Stay──▶ unsaved
 */
const unsaved = new Set<object>();
const watchers = new Set<() => void>();
let held: (() => void) | undefined;

function hold(next: (() => void) | undefined): void {
  held = next;
  for (const watcher of watchers) watcher();
}

export const isUnsaved = (): boolean => unsaved.size > 0;

/** Navigates immediately if nothing would be lost, otherwise after a confirmation. */
export function leave(then: () => void): void {
  if (isUnsaved()) hold(then);
  else then();
}

export const stay = (): void => hold(undefined);

/** What waits for an answer to the question. */
export function useHeld(): (() => void) | undefined {
  return useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => held,
  );
}

// The browser asks in words of its own before the page is closed.
const warn = (event: BeforeUnloadEvent): void => event.preventDefault();

/** Says whether something of this form would be lost. */
export function useUnsaved(isWritten: boolean): void {
  useEffect(() => {
    if (!isWritten) return undefined;
    const form = {};
    unsaved.add(form);
    window.addEventListener('beforeunload', warn);
    return () => {
      unsaved.delete(form);
      if (!isUnsaved()) window.removeEventListener('beforeunload', warn);
    };
  }, [isWritten]);
}
