import type { Pattern } from '@stoa/core';
import type { WorkKind } from '@stoa/protocol';
import type { JsonValue } from '../json-value.js';

interface ScriptedCall {
  readonly tool: string;
  readonly input: Readonly<Record<string, JsonValue>>;
  readonly as: string | undefined;
}

/** One step, with repetitions written out: its place in the turn is a number that can be kept. */
export interface Step {
  /** Which repetition it belongs to, from 1. */
  readonly round: number;
  readonly waitMs: number;
  readonly say: { readonly text: string; readonly everyMs: number } | undefined;
  readonly calls: readonly ScriptedCall[];
  readonly emit: string | undefined;
  readonly passes: boolean;
  readonly fail: { readonly code: string; readonly message: string } | undefined;
}

export interface Turn {
  readonly when:
    | {
        readonly contains: string | undefined;
        readonly matches: Pattern | undefined;
        readonly kind: WorkKind | undefined;
        /** In a turn of a channel: it was addressed, or called by the last reply. */
        readonly addressed: boolean | undefined;
        /** In a turn of a channel: some agent has answered already, or the one of this name. */
        readonly answered: boolean | string | undefined;
      }
    | undefined;
  /** How often it is played before the next in order; infinite stays. */
  readonly plays: number;
  readonly steps: readonly Step[];
}

export interface Script {
  readonly turns: readonly Turn[];
  readonly otherwise: readonly Step[] | undefined;
}
