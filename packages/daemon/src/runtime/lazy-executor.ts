import type { OutputPart, OutputRange, TaskExecutor, TaskMessage } from '@stoa/core';
import type { Task } from '@stoa/protocol';

/** What a kind of task does, loaded when the first task of it is asked about. */
export class LazyExecutor implements TaskExecutor {
  constructor(
    private readonly load: () => Promise<TaskExecutor>,
    /** What is loaded by now. */
    private readonly loaded: () => TaskExecutor | undefined,
  ) {}

  async start(task: Task): Promise<void> {
    await (await this.load()).start?.(task);
  }

  async stop(task: Task, by: string): Promise<void> {
    await (await this.load()).stop(task, by);
  }

  async send(task: Task, message: TaskMessage): Promise<void> {
    await (await this.load()).send?.(task, message);
  }

  async resume(task: Task): Promise<void> {
    await (await this.load()).resume?.(task);
  }

  async reattach(task: Task): Promise<void> {
    await (await this.load()).reattach(task);
  }

  async read(task: Task, range: OutputRange): Promise<OutputPart | undefined> {
    return (await this.load()).read?.(task, range);
  }

  /** Before it is loaded nothing of it was started. */
  foreground(): readonly Task[] {
    return this.loaded()?.foreground?.() ?? [];
  }

  async promote(task: Task): Promise<void> {
    await (await this.load()).promote?.(task);
  }

  async forget(task: Task): Promise<void> {
    await (await this.load()).forget?.(task);
  }
}
