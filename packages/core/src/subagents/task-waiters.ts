import type { Timers } from '../ports.js';

/** What another daemon writes is not told here: who waits looks again now and then. */
const LOOK_MS = 5_000;

interface News {
  /** Rejects when the signal aborts. */
  readonly arrived: Promise<void>;
  cancel(): void;
}

/** Those who wait for something to become of a task. */
export class TaskWaiters {
  readonly #waiting = new Map<string, Set<() => void>>();

  constructor(private readonly timers: Timers) {}

  /** Something was committed about a task. */
  tell(taskId: string): void {
    for (const resume of [...(this.#waiting.get(taskId) ?? [])]) resume();
  }

  /** To be asked for before the task is read, so that nothing is missed in between. */
  news(taskId: string, signal: AbortSignal): News {
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
      const callOff = this.timers.after(LOOK_MS, resume);
      cancel = () => {
        callOff();
        all.delete(resume);
        if (all.size === 0) this.#waiting.delete(taskId);
        signal.removeEventListener('abort', abort);
      };
      this.#waiting.set(taskId, all.add(resume));
      signal.addEventListener('abort', abort, { once: true });
      if (signal.aborted) abort();
    });
    // Who has what was waited for does not wait any more.
    arrived.catch(() => undefined);
    return {
      arrived,
      cancel: () => {
        cancel();
      },
    };
  }
}
