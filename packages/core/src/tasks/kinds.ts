import { StoaError } from '@stoa/protocol';
import type { TaskKind } from './kind.js';
import { MONITOR } from './monitor/monitor-kind.js';
import { SHELL } from './shell/shell-kind.js';

/** The kinds of background tasks by name. Modules above tasks add theirs. The first of a name counts. */
export class TaskKinds {
  readonly #byName: Map<string, TaskKind>;

  constructor(more: readonly TaskKind[] = []) {
    this.#byName = new Map([SHELL, MONITOR, ...more].map((kind) => [kind.kind, kind]));
  }

  add(kind: TaskKind): void {
    if (!this.#byName.has(kind.kind)) this.#byName.set(kind.kind, kind);
  }

  /** Undefined for entries of a kind that another version of Stoa had. */
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
