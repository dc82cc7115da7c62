import {
  actorIdOf,
  type Metadata,
  type Principal,
  StoaError,
  type Task,
  type TaskEntry,
  type TaskOutput,
} from '@stoa/protocol';
import { assertResumable, beginTask, changeTask, type ExecutorChange } from './change-task.js';
import type { TaskContext } from './context.js';
import { createTask, type NewTask } from './create-task.js';
import { type FileFate, fileFates, isPastSession } from './file-fates.js';
import { handOverOrphaned, handOverTasks, sendDueNotices } from './hand-over.js';
import { TaskQueue } from './queue.js';
import { listTasks, readTask, type TaskPage, type TaskQuery, withApprovals } from './read-tasks.js';
import { recoverTasks } from './recover.js';
import { executorHere, promoteTask, readOutput, sendToTask } from './requests.js';
import { sendUpdate } from './send-update.js';
import { type Settlement, settleTask } from './settle-task.js';
import { Stopping } from './stopping.js';
import { reportInTaskThread } from './task-thread.js';
import { writeTask } from './write-task.js';

const UPKEEP_LIMIT = 100;

/** What executors use to register tasks and report about them. */
export type TaskRegistry = Pick<Tasks, 'create' | 'change' | 'sendUpdate' | 'settle'>;

/** The registry of background tasks of every kind. */
export class Tasks {
  readonly #stopping: Stopping;
  readonly #queue: TaskQueue;

  constructor(private readonly context: TaskContext) {
    this.#stopping = new Stopping(context);
    this.#queue = new TaskQueue(context);
  }

  /** Stores a task before it starts. `running`: the caller starts it. `queued`: its executor starts it later. */
  async create(sessionId: string, wanted: NewTask): Promise<Task> {
    return this.#record(await createTask(this.context, sessionId, wanted));
  }

  /** For executors: changes a task that goes on. */
  async change(taskId: string, change: ExecutorChange): Promise<Task> {
    return this.#record(await changeTask(this.context, taskId, change));
  }

  /**
   * For executors: continues a paused task, or revives a completed one. `running`: the caller resumes it. `queued`: its
   * executor resumes it later.
   */
  async begin(taskId: string): Promise<Task> {
    return this.#record((await beginTask(this.context, taskId)).task);
  }

  /** For executors: ends a task. Only the first end counts. */
  async settle(taskId: string, settlement: Settlement): Promise<Task> {
    return this.#record(await settleTask(this.context, taskId, settlement));
  }

  /**
   * For executors: sends an update about a task to its session and stores the progress, in one commit. False if it was not
   * sent.
   */
  sendUpdate(taskId: string, text: string, detail?: Metadata): Promise<boolean> {
    return sendUpdate(this.context, taskId, text, detail);
  }

  /** For executors: reports progress in the thread a task was started in. False if there is none. */
  milestone(taskId: string, text: string): Promise<boolean> {
    const { context } = this;
    return writeTask(context, 'system', taskId, function* ({ entry }, at) {
      const events = yield* reportInTaskThread(context, entry, 'sidechain_milestone', text, at);
      return { events, answer: events.length > 0 };
    });
  }

  /** A session is done, though it may be revived: its tasks move to a session above, or are stopped. */
  ownerEnded(sessionId: string): Promise<void> {
    return handOverTasks(this.context, this.#stopping, sessionId);
  }

  get(by: Principal, taskId: string): Promise<Task> {
    return readTask(this.context, by, taskId);
  }

  list(by: Principal, query: TaskQuery): Promise<TaskPage> {
    return listTasks(this.context, by, query);
  }

  output(
    by: Principal,
    taskId: string,
    range: { offset: number; limit: number; waitMs?: number | undefined },
  ): Promise<TaskOutput> {
    return readOutput(this.context, by, taskId, range);
  }

  /** Which files of tasks may be removed. */
  fileFates(
    taskIds: readonly string[],
    endedBefore: number,
  ): Promise<ReadonlyMap<string, FileFate>> {
    return fileFates(this.context, taskIds, endedBefore);
  }

  isPastSession(sessionId: string, endedBefore: number): Promise<boolean> {
    return this.context.store.read(() => isPastSession(sessionId, endedBefore));
  }

  /** Resolves when the task has stopped. Throws `task_not_running` if it has ended before. */
  async stop(by: Principal, taskId: string): Promise<Task> {
    const before = await this.get(by, taskId);
    await this.#stopping.stop(by, taskId);
    return this.get(by, taskId).catch((error: unknown) => {
      if (!(error instanceof StoaError) || error.code !== 'task_not_found') throw error;
      // A foreground task without an entry is gone.
      return stoppedInForeground(before, actorIdOf(by), this.context.clock.now());
    });
  }

  /** Stops the tasks of a session and of the sessions below it, without notices. */
  async stopAll(by: Principal, sessionId: string): Promise<Task[]> {
    const stopped = await this.#stopping.stopAll(by, sessionId);
    return Promise.all(stopped.map(({ taskId }) => this.get(by, taskId)));
  }

  async send(by: Principal, taskId: string, text: string): Promise<Task> {
    await sendToTask(this.context, by, taskId, text);
    return this.get(by, taskId);
  }

  async promote(by: Principal, sessionId: string, taskId?: string): Promise<Task> {
    return this.get(by, await promoteTask(this.context, by, sessionId, taskId));
  }

  /** Resumes a paused task, now or when a slot is free. */
  async resume(by: Principal, taskId: string): Promise<Task> {
    const task = await this.get(by, taskId);
    const executor = executorHere(this.context, task);
    if (task.status === 'paused' && executor?.whyBlocked) {
      const blockedReason = (await executor.whyBlocked(task)) ?? null;
      const hasChanged = blockedReason !== (task.blockedReason ?? null);
      if (hasChanged) await changeTask(this.context, taskId, { blockedReason });
    }
    assertResumable(await this.get(by, taskId), this.context.kinds.get(task.kind));
    const begun = await beginTask(this.context, taskId);
    if (begun.hasBegun) await this.#queue.start(begun);
    return this.get(by, taskId);
  }

  /** After a start: continues the tasks of the last daemon at this location. */
  async recover(): Promise<void> {
    await recoverTasks(this.context);
    for (const executor of this.context.executors.all()) await executor.recovered?.();
    await this.tick();
  }

  /** Finds what no event of this daemon reported. */
  async tick(): Promise<void> {
    for (const executor of this.context.executors.all()) await executor.tick?.();
    await this.#stopping.stopMarked();
    await handOverOrphaned(this.context, this.#stopping, UPKEEP_LIMIT);
    await sendDueNotices(this.context, UPKEEP_LIMIT);
    await this.#queue.poll();
  }

  /** A slot may have become free. */
  slotFreed(): void {
    void this.#queue.poll();
  }

  sessionEnded(sessionId: string): void {
    this.ownerEnded(sessionId).catch((error: unknown) => {
      this.context.diagnose('tasks could not be handed over', { sessionId, error });
    });
  }

  /** Starts no more tasks. Running ones continue without this daemon, or their executor stops them. */
  close(): Promise<void> {
    return this.#queue.close();
  }

  #record(entry: TaskEntry): Promise<Task> {
    return withApprovals(this.context, entry);
  }
}

const stoppedInForeground = (task: Task, by: string, at: number): Task => ({
  ...task,
  status: 'cancelled',
  endedAt: at,
  updatedAt: at,
  end: { cause: 'stopped', by },
});
