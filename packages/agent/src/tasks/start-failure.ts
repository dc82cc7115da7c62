import { dirname } from 'node:path';
import { CommandNotStarted } from '../tools/shell/not-started.js';
import { inWords } from '../tools/tool-failure.js';

/** Why the command of a task was not started: the system refused, or its files could not be made. */
export function startFailure(error: unknown): {
  readonly cause: 'spawn_failed' | 'output_failed';
  readonly message: string;
} {
  if (error instanceof CommandNotStarted) return { cause: 'spawn_failed', message: error.message };
  return { cause: 'output_failed', message: filesProblem(error) };
}

function filesProblem(error: unknown): string {
  const { path = '' } = error as NodeJS.ErrnoException;
  try {
    return inWords(error, `its files in ${dirname(path)} cannot be made`).message;
  } catch {
    return String(error);
  }
}
