import { StoaError } from '@stoa/protocol';
import type { TaskExecutor, TaskKind } from './kind.js';
import { MONITOR } from './monitor/monitor-kind.js';
import { SHELL } from './shell/shell-kind.js';

/** The kinds of background tasks by name. Modules that need this one add theirs. The first of a name counts. */
export class TaskKinds {
  readonly #byName: Map<string, TaskKind>;

  constructor(more: readonly TaskKind[] = []) {
    this.#byName = new Map([SHELL, MONITOR, ...more].map((kind) => [kind.kind, kind]));
  }

  add(kind: TaskKind): void {
    if (!this.#byName.has(kind.kind)) this.#byName.set(kind.kind, kind);
  }

  /** Undefined for a kind of another version of Stoa. */
  find(name: string): TaskKind | undefined {
    return this.#byName.get(name);
  }

  get(name: string): TaskKind {
    const kind = this.#byName.get(name);
    if (kind) return kind;
    const names = [...this.#byName.keys()].join(', ');
    throw new StoaError('unknown_task_kind', `There is no kind ${name}; there are ${names}`);
  }

  [Symbol.iterator](): IterableIterator<TaskKind> {
    return this.#byName.values();
  }
}

/** The executor of each kind. Executors need the registry of tasks and are created after it. The first of a kind counts. */
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
