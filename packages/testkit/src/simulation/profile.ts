import type { SqliteStoreOptions } from '@stoa/store';
import type { SeededRandom } from '../virtual/random.js';

/** What kind of life a seed leads: some are quiet, some have everything at once. */
export interface Profile {
  /** Several daemons on one database learn of each other's writes by hints. */
  readonly daemons: number;
  /** Whether reads and files take their time, so that others come in between. */
  readonly pacedReads: boolean;
  readonly group: NonNullable<SqliteStoreOptions['group']>;
  /** How long a member of a group takes at most, in the measure of the group's limit. */
  readonly memberMs: number;
  readonly steps: number;
  readonly keyed: number;
  readonly weights: Weights;
}

interface Weights {
  readonly crash: number;
  readonly full: number;
  readonly defect: number;
  readonly repeat: number;
  readonly sweep: number;
  readonly readers: number;
  readonly search: number;
  readonly assets: number;
}

export function chooseProfile(random: SeededRandom): Profile {
  const some = (): number => random.pick([0, 1, 1, 3]);
  return {
    daemons: random.chance(0.4) ? 2 : 1,
    pacedReads: random.chance(0.5),
    group: { members: random.pick([2, 4, 256]), milliseconds: 20 },
    memberMs: random.pick([0, 0, 15]),
    steps: random.between(40, 75),
    keyed: random.pick([0.3, 0.7, 1]),
    weights: {
      crash: some(),
      full: some(),
      defect: some(),
      repeat: some(),
      sweep: some(),
      readers: random.pick([1, 1, 3]),
      search: random.pick([0, 0, 1]),
      assets: random.pick([1, 1, 1, 8]),
    },
  };
}
