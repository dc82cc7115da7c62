import type { Figure } from './measure/figure.js';
import type { Scope } from './world/scope.js';

/** How much is measured: `short` shows that a benchmark works, `long` is for figures. */
export type Form = 'short' | 'long';

export interface Benchmark {
  readonly description: string;
  /** What it opens or starts it gives to the scope, which ends it. */
  run(form: Form, scope: Scope): Promise<readonly Figure[]>;
}

/** Something a benchmark needs is not on this machine. */
export class Skipped extends Error {}
