/** The agents that tool calls of runs wait for, by their runs. A run that is over waits for nothing. */
export class WaitedFor {
  readonly #byRun = new Map<string, Set<string>>();

  add(runId: string, taskId: string): void {
    this.#byRun.set(runId, (this.#byRun.get(runId) ?? new Set()).add(taskId));
  }

  /** Nothing came of it. */
  drop(runId: string, taskId: string): void {
    const tasks = this.#byRun.get(runId);
    tasks?.delete(taskId);
    if (tasks?.size === 0) this.#byRun.delete(runId);
  }

  has(runId: string, taskId: string): boolean {
    return this.#byRun.get(runId)?.has(taskId) ?? false;
  }

  get runIds(): string[] {
    return [...this.#byRun.keys()];
  }

  /** Those of a run that is over; they are not known here afterwards. */
  take(runId: string): string[] {
    const tasks = [...(this.#byRun.get(runId) ?? [])];
    this.#byRun.delete(runId);
    return tasks;
  }
}
