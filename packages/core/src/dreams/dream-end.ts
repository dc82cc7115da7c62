import type { Task, TaskEnd } from '@stoa/protocol';
import type { DreamRun } from './dream-run.js';

export type DreamOutcome = 'completed' | 'failed' | 'cancelled';

const MESSAGE_CHARS = 500;

/** The end of a dream that was cancelled or failed. */
export function endOf(
  { stopReason, isStoring }: Pick<DreamRun, 'stopReason' | 'isStoring'>,
  error: unknown,
): { outcome: DreamOutcome; end: TaskEnd } {
  const text = error instanceof Error ? error.message : String(error);
  const message = text.slice(0, MESSAGE_CHARS).toWellFormed();
  if (isStoring) {
    const end = { cause: 'storing_failed', message: `${message}; ${SOME_WAS_WRITTEN}` };
    return { outcome: 'failed', end };
  }
  switch (stopReason) {
    case 'stopped':
      return { outcome: 'cancelled', end: { cause: 'stopped' } };
    case 'shutdown':
      return { outcome: 'cancelled', end: { cause: 'shutdown', message: 'The daemon ended.' } };
    case 'erased':
      return { outcome: 'cancelled', end: { cause: 'erased', message: 'The memory was erased.' } };
    case 'timeout':
      return { outcome: 'failed', end: { cause: 'timeout', by: 'timeout' } };
    case undefined:
      return { outcome: 'failed', end: { cause: 'model_failed', message } };
  }
}

const SOME_WAS_WRITTEN = 'some files may have been written.';

/** What an interrupted dream may have written. */
export const whatWasWritten = ({ detail }: Task): string =>
  detail['phase'] === 'storing' ? SOME_WAS_WRITTEN : 'nothing was written.';
