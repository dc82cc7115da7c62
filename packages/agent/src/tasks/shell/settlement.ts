import { constants } from 'node:os';
import type { Settlement } from '@stoa/core';
import type { CommandEnd } from '../../tools/shell/running-command.js';

/** Why a command was stopped, if no caller stopped it. */
export const BY_RUN = 'run';
export const BY_TIMEOUT = 'timeout';
export const BY_LOST_OUTPUT = 'lost_output';

export type Ending = Pick<Settlement, 'status' | 'end'>;

/** How a task ends when its command has ended. */
export function endingOf(end: CommandEnd): Ending {
  const code = 'exitCode' in end ? { exitCode: end.exitCode } : {};
  const isStoppedByCaller = end.type === 'stopped' && end.by !== BY_LOST_OUTPUT;
  if (end.outputLost !== undefined && !isStoppedByCaller) {
    const message = `Its output could not be kept: ${end.outputLost}`;
    return { status: 'failed', end: { cause: 'output_failed', message, ...code } };
  }
  switch (end.type) {
    case 'exited':
      return exited(end.exitCode);
    case 'stopped': {
      const message = end.isDead ? {} : { message: 'Some of its processes could not be ended' };
      const how = { signal: end.signal, by: end.by, ...code, ...message };
      return end.by === BY_TIMEOUT
        ? { status: 'failed', end: { cause: 'timeout', ...how } }
        : { status: 'cancelled', end: { cause: 'stopped', ...how } };
    }
    case 'not_started':
      return { status: 'failed', end: { cause: 'spawn_failed', message: end.reason } };
    case 'lost':
      return end.signal === undefined
        ? { status: 'lost', end: { cause: 'outcome_unknown', message: end.reason } }
        : { status: 'failed', end: { cause: 'signal', signal: end.signal, message: end.reason } };
  }
}

function exited(exitCode: number): Ending {
  if (exitCode === 0) return { status: 'completed', end: { cause: 'exited', exitCode } };
  const signal = signalOf(exitCode);
  return signal === undefined
    ? { status: 'failed', end: { cause: 'exited', exitCode } }
    : { status: 'failed', end: { cause: 'signal', exitCode, signal } };
}

/**
 * The signal that an exit code represents. Shells and sandboxes report 128 plus its number; a program that exits
 * with such a code cannot be distinguished from one that was ended by the signal.
 */
export function signalOf(exitCode: number): string | undefined {
  const number = exitCode - 128;
  return Object.entries(constants.signals).find(([, value]) => value === number)?.[0];
}
