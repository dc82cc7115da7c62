import type { CancelReason, Run, RunFailure, Stamped, StoredItem } from '@stoa/protocol';
import { EXIT, type ExitCode } from '../exit-code.js';

/** How `stoa run` ends. `needs_approval` and `left` leave the run as it is. */
export type Outcome =
  | { readonly type: 'completed'; readonly output: readonly StoredItem[] }
  | { readonly type: 'failed'; readonly failure: RunFailure }
  | { readonly type: 'cancelled'; readonly reason: CancelReason }
  | { readonly type: 'interrupted'; readonly reason: string }
  | {
      readonly type: 'needs_approval';
      readonly approvalIds: readonly string[];
      /** The output of the completed run, if another run asks. */
      readonly output?: readonly StoredItem[];
    }
  | { readonly type: 'left' };

/** What goes on in the background, or failed there, counts when the run itself went well. */
export function exitCodeOf(
  outcome: Outcome,
  tasks: {
    readonly live: readonly unknown[];
    readonly failed: readonly unknown[];
    readonly failedRuns?: readonly unknown[];
    readonly isAtRest?: boolean;
  } = NONE,
): ExitCode {
  switch (outcome.type) {
    case 'completed':
      if (tasks.failed.length + (tasks.failedRuns?.length ?? 0) > 0) return EXIT.failure;
      return tasks.live.length > 0 || tasks.isAtRest === false ? EXIT.tasksGoOn : EXIT.ok;
    case 'failed':
      return EXIT.failure;
    case 'needs_approval':
      return EXIT.needsApproval;
    case 'interrupted':
      return EXIT.interrupted;
    case 'cancelled':
    case 'left':
      return EXIT.cancelled;
  }
}

const NONE = { live: [], failed: [] };

/** Undefined for an event that ends no run. */
export function outcomeOfEvent(event: Stamped): Outcome | undefined {
  switch (event.type) {
    case 'completed':
      return { type: 'completed', output: event.data.output };
    case 'failed':
      return { type: 'failed', failure: event.data.failure };
    case 'cancelled':
      return { type: 'cancelled', reason: event.data.reason };
    case 'interrupted':
      return { type: 'interrupted', reason: event.data.reason };
    default:
      return undefined;
  }
}

/** The same from the record, for when its event cannot be had. Undefined while it goes on. */
export function outcomeOfRun(run: Run): Outcome | undefined {
  switch (run.status) {
    case 'completed':
      return { type: 'completed', output: run.output ?? [] };
    case 'failed':
      return { type: 'failed', failure: run.failure ?? UNKNOWN_FAILURE };
    case 'cancelled':
      return { type: 'cancelled', reason: run.cancelReason ?? 'cancel_command' };
    case 'interrupted':
      return { type: 'interrupted', reason: 'unknown' };
    case 'queued':
    case 'running':
    case 'waiting_approval':
    case 'waiting_answer':
      return undefined;
  }
}

const UNKNOWN_FAILURE: RunFailure = { phase: 'agent', code: 'internal', message: 'It failed' };
