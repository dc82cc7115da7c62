import type { TaskExecutor } from './kind.js';

/** The executor of each kind of task. They need the registry of tasks and are made after it. The first of a kind counts. */
export class TaskExecutors {
  readonly #byKind = new Map<string, TaskExecutor>();

  add(kind: string, executor: TaskExecutor): void {
    if (!this.#byKind.has(kind)) this.#byKind.set(kind, executor);
  }

  get(kind: string): TaskExecutor | undefined {
    return this.#byKind.get(kind);
  }

  all(): TaskExecutor[] {
    return [...this.#byKind.values()];
  }
}
