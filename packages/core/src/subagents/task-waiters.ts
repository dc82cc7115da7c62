import type { Timers } from '../ports.js';

/** Writes of another daemon cause no event here, so waiting ends after this time and the caller reads again. */
const POLL_MS = 5_000;

interface NextChange {
  /** Rejects when the signal aborts. */
  readonly arrived: Promise<void>;
  cancel(): void;
}

/** Lets callers wait for changes of tasks. */
export class TaskWaiters {
  readonly #waiting = new Map<string, Set<() => void>>();

  constructor(private readonly timers: Timers) {}

  changed(taskId: string): void {
    for (const resume of [...(this.#waiting.get(taskId) ?? [])]) resume();
  }

  /** Call it before the task is read, so that no change is missed in between. */
  nextChange(taskId: string, signal: AbortSignal): NextChange {
    let cancel: () => void = () => undefined;
    const arrived = new Promise<void>((resolve, reject) => {
      const all = this.#waiting.get(taskId) ?? new Set();
      const resume = (): void => {
        cancel();
        resolve();
      };
      const abort = (): void => {
        cancel();
        reject(signal.reason as Error);
      };
      const cancelTimer = this.timers.after(POLL_MS, resume);
      cancel = () => {
        cancelTimer();
        all.delete(resume);
        if (all.size === 0) this.#waiting.delete(taskId);
        signal.removeEventListener('abort', abort);
      };
      this.#waiting.set(taskId, all.add(resume));
      signal.addEventListener('abort', abort, { once: true });
      if (signal.aborted) abort();
    });
    // The caller may cancel without awaiting it.
    arrived.catch(() => undefined);
    return {
      arrived,
      cancel: () => {
        cancel();
      },
    };
  }
}
