import type { TaskExecutor } from './kind.js';

/** What does tasks of each kind: what the daemon gives, before what the domain does by itself. */
export class TaskExecutors {
  readonly #own = new Map<string, TaskExecutor>();

  constructor(private readonly given: ReadonlyMap<string, TaskExecutor>) {}

  /** The domain's own, which need the registry and are made after it. */
  add(kind: string, executor: TaskExecutor): void {
    this.#own.set(kind, executor);
  }

  get(kind: string): TaskExecutor | undefined {
    return this.given.get(kind) ?? this.#own.get(kind);
  }

  all(): TaskExecutor[] {
    return [...new Map([...this.#own, ...this.given]).values()];
  }
}
