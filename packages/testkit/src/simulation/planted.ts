import type { Store } from '@stoa/store';

/** A defect in the parts under test, put there to see that a run notices it. */
export interface Planted {
  readonly store?: (store: Store) => Store;
  /** A disk that answers a commit before it is kept, and forgets the last one in a crash. */
  readonly isDiskForgetful?: boolean;
}

export const NOTHING_PLANTED: Planted = {};
