import type { CancelReason, RunFailure, StoredItem } from '@stoa/protocol';

/** How a run ends. */
export type RunEnd =
  | { readonly type: 'completed'; readonly output: readonly StoredItem[] }
  | { readonly type: 'failed'; readonly failure: RunFailure }
  | {
      readonly type: 'cancelled';
      readonly reason: CancelReason;
    }
  | { readonly type: 'interrupted'; readonly reason: string };
