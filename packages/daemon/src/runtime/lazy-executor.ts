import type { OutputPart, OutputRange, TaskExecutor, TaskMessage } from '@stoa/core';
import type { Task } from '@stoa/protocol';

/** What carries out tasks of a kind, loaded when the first of them needs it. */
export class LazyExecutor implements TaskExecutor {
  constructor(private readonly load: () => Promise<Loaded>) {}

  async stop(task: Task, by: string): Promise<void> {
    await (await this.load()).stop(task, by);
  }

  async send(task: Task, message: TaskMessage): Promise<void> {
    await (await this.load()).send(task, message);
  }

  async reattach(task: Task): Promise<void> {
    await (await this.load()).reattach(task);
  }

  async read(task: Task, range: OutputRange): Promise<OutputPart | undefined> {
    return (await this.load()).read(task, range);
  }

  async forget(task: Task): Promise<void> {
    await (await this.load()).forget(task);
  }
}

type Loaded = Required<Pick<TaskExecutor, 'stop' | 'send' | 'reattach' | 'read' | 'forget'>>;
