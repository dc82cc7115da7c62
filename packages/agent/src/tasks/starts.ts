import { randomBytes } from 'node:crypto';
import { dirname } from 'node:path';
import { CommandNotStarted } from '../tools/shell/not-started.js';
import { inWords } from '../tools/tool-failure.js';

/**
 * A task is listed before its process is started, so that none is started that nobody knows of. Who stops one
 * in between waits until there is something to stop.
 */
export class Starts {
  readonly #underWay = new Map<string, Promise<unknown>>();

  async during<T>(taskId: string, start: () => Promise<T>): Promise<T> {
    const started = start();
    this.#underWay.set(taskId, started);
    try {
      return await started;
    } finally {
      this.#underWay.delete(taskId);
    }
  }

  /** Resolves when it has been started, or could not be. */
  async over(taskId: string): Promise<void> {
    await this.#underWay.get(taskId)?.catch(() => undefined);
  }
}

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

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** An id for a task that is not in the registry yet: time and randomness, as all ids are made. */
export function newTaskId(now: number): string {
  let time = '';
  for (let rest = now; time.length < 10; rest = Math.floor(rest / 32)) {
    time = (ALPHABET[rest % 32] ?? '') + time;
  }
  const random = [...randomBytes(16)].map((byte) => ALPHABET[byte & 31]).join('');
  return `tsk_${time}${random}`;
}
