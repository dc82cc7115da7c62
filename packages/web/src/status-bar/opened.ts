import { useSyncExternalStore } from 'react';

/** The dialog about work that is open; with an id, what it is to begin with. */
export type Opened =
  | { readonly name: 'tasks'; readonly taskId: string | undefined }
  | { readonly name: 'approvals'; readonly approvalId: string | undefined }
  | { readonly name: 'mcp' };

let opened: Opened | undefined;
const watchers = new Set<() => void>();

function set(next: Opened | undefined): void {
  opened = next;
  for (const watcher of watchers) watcher();
}

export const openTasks = (taskId?: string): void => set({ name: 'tasks', taskId });
export const openApprovals = (approvalId?: string): void => set({ name: 'approvals', approvalId });
export const openMcpServers = (): void => set({ name: 'mcp' });
export const closeWork = (): void => set(undefined);

export function useOpened(): Opened | undefined {
  return useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => opened,
  );
}
