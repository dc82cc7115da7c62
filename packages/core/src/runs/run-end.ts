import type { CancelReason, RunFailure, StoredItem } from '@stoa/protocol';

/** Code of a run that a person did not allow: no driver executed it, and it is not repeated. */
export const RUN_NOT_ALLOWED = 'run_not_allowed';

/** How a run ends. */
export type RunEnd =
  | {
      readonly type: 'completed';
      readonly output: readonly StoredItem[];
      /** The number of characters that a run in a channel wrote and did not publish. */
      readonly unpublishedChars?: number;
      /** It wrote an answer that its rules do not let it publish without an approval. */
      readonly isWithheld?: boolean;
    }
  | { readonly type: 'failed'; readonly failure: RunFailure }
  | {
      readonly type: 'cancelled';
      readonly reason: CancelReason;
    }
  | { readonly type: 'interrupted'; readonly reason: string };
