import type { CancelReason, RunFailure, StoredItem } from '@stoa/protocol';

/** How a run ends. */
export type RunEnd =
  | {
      readonly type: 'completed';
      readonly output: readonly StoredItem[];
      /** In a channel, of a run that published nothing: the characters that it wrote. */
      readonly unpublishedChars?: number;
      /** It wrote an answer, and its rules do not let it publish without asking people first. */
      readonly isWithheld?: boolean;
    }
  | { readonly type: 'failed'; readonly failure: RunFailure }
  | {
      readonly type: 'cancelled';
      readonly reason: CancelReason;
    }
  | { readonly type: 'interrupted'; readonly reason: string };
