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
