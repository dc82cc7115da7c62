import type { StoaProblem } from '@stoa/client';
import { useSyncExternalStore } from 'react';

/*
 * Whether the server that answers at this address is another than the daemon this browser logged in to: it was asked
 * to prove that it knows the key of the login, and did not.
 */
let isForeign = false;
const watchers = new Set<() => void>();

export function serverAnswered(problem: StoaProblem | undefined): void {
  const found = problem?.code === 'daemon_not_proven';
  // That it cannot answer now says nothing about who it is.
  if (found === isForeign || (problem !== undefined && problem.status === 503 && !found)) return;
  isForeign = found;
  for (const watcher of watchers) watcher();
}

export function useForeignServer(): boolean {
  return useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => isForeign,
  );
}
