import type { Principal, Task, TaskEntry } from '@stoa/protocol';
import { beginTask, changeTask, type ExecutorChange } from './change-task.js';
import type { TaskContext } from './context.js';
import { createTask, type NewTask } from './create-task.js';
import { listTasks, readTask, type TaskPage, type TaskQuery } from './read-tasks.js';
import { taskRecord } from './record.js';
import { type Settlement, settleTask } from './settle-task.js';

/** The registry of background tasks: one list, one life and one way to stop for every kind. */
export class Tasks {
  constructor(private readonly context: TaskContext) {}

  /** Commits the intent to begin a task. `running`: the caller starts it. `queued`: its executor will. */
  async create(sessionId: string, wanted: NewTask): Promise<Task> {
    return this.#record(await createTask(this.context, sessionId, wanted));
  }

  /** For executors: something that changed while it goes on. */
  async change(taskId: string, change: ExecutorChange): Promise<Task> {
    return this.#record(await changeTask(this.context, taskId, change));
  }

  /** For executors: lets a task go on that is paused, or has completed and can be revived. */
  async begin(taskId: string): Promise<Task> {
    return this.#record((await beginTask(this.context, taskId)).task);
  }

  /** For executors: how a task ended. The first end counts; of later ones nothing is kept. */
  async settle(taskId: string, settlement: Settlement): Promise<Task> {
    const { task, evicted } = await settleTask(this.context, taskId, settlement);
    this.#forget(evicted);
    return this.#record(task);
  }

  get(by: Principal, taskId: string): Promise<Task> {
    return readTask(this.context, by, taskId);
  }

  list(by: Principal, query: TaskQuery): Promise<TaskPage> {
    return listTasks(this.context, by, query);
  }

  #record(entry: TaskEntry): Promise<Task> {
    const { kinds, sessions } = this.context;
    return sessions.store.read(() => taskRecord(kinds, entry));
  }

  #forget(evicted: readonly TaskEntry[]): void {
    for (const entry of evicted) {
      const task = { ...entry, pendingApprovals: 0 };
      const forgotten = this.context.executors.get(entry.kind)?.forget?.(task);
      forgotten?.catch((error: unknown) => {
        this.context.sessions.diagnose('the files of a task could not be removed', { error });
      });
    }
  }
}
