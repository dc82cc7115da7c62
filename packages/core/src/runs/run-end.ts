import type { CancelReason, RunFailure, StoredItem } from '@stoa/protocol';

/** Code of a run that a person did not allow: its driver never got it, and it is not tried again. */
export const RUN_NOT_ALLOWED = 'run_not_allowed';

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
