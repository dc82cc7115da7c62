import type { Core } from '@stoa/core';
import type { Store } from '@stoa/store';

/** A defect in the parts under test, put there to see that a history notices it. */
export interface PlantedInTurns {
  readonly store?: (store: Store) => Store;
  readonly core?: (core: Core) => Core;
}
