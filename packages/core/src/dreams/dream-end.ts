import type { Task, TaskEnd } from '@stoa/protocol';
import type { CallOff } from './dream-run.js';

export type DreamOutcome = 'completed' | 'failed' | 'cancelled';

const MESSAGE_CHARS = 500;

/** How one ended that was called off, or failed. */
export function endOf(
  { callOff, isStoring }: { readonly callOff: CallOff | undefined; readonly isStoring: boolean },
  error: unknown,
): { outcome: DreamOutcome; end: TaskEnd } {
  const said = error instanceof Error ? error.message : String(error);
  const message = said.slice(0, MESSAGE_CHARS).toWellFormed();
  if (isStoring) {
    const end = { cause: 'storing_failed', message: `${message}; ${SOME_WAS_WRITTEN}` };
    return { outcome: 'failed', end };
  }
  switch (callOff) {
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

const SOME_WAS_WRITTEN = 'some of what it wrote may stand in files.';

/** What is known of one that was cut off. */
export const whatWasWritten = ({ detail }: Task): string =>
  detail['phase'] === 'storing' ? SOME_WAS_WRITTEN : 'nothing was written.';
