import type { Task, TaskEnd } from '@stoa/protocol';
import type { CallOff } from './dream-run.js';

export type DreamOutcome = 'completed' | 'failed' | 'cancelled';

const MESSAGE_CHARS = 500;

/** How one ended that was called off, or failed. */
export function endOf(
  callOff: CallOff | undefined,
  error: unknown,
): { outcome: DreamOutcome; end: TaskEnd } {
  const said = error instanceof Error ? error.message : String(error);
  const message = said.slice(0, MESSAGE_CHARS).toWellFormed();
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

/** What is known of one that was cut off. */
export const whatWasWritten = ({ detail }: Task): string =>
  detail['phase'] === 'storing'
    ? 'some of what it wrote may stand in files.'
    : 'nothing was written.';
