import {
  actorIdOf,
  type Metadata,
  type Principal,
  StoaError,
  type Task,
  type TaskEntry,
  type TaskOutput,
} from '@stoa/protocol';
import { assertCanGoOn, beginTask, changeTask, type ExecutorChange } from './change-task.js';
import type { TaskContext } from './context.js';
import { createTask, type NewTask } from './create-task.js';
import { type FileFate, fileFates, isPastSession } from './file-fates.js';
import { handOverLeftBehind, handOverTasks, tellAllDue } from './hand-over.js';
import { TaskQueue } from './queue.js';
import { listTasks, readTask, type TaskPage, type TaskQuery, withApprovals } from './read-tasks.js';
import { recoverTasks } from './recover.js';
import { executorHere, promoteTask, readOutput, sendToTask } from './requests.js';
import { type Settlement, settleTask } from './settle-task.js';
import { Stopping } from './stopping.js';
import { tellTask } from './tell-task.js';
import { tellItsThread } from './thread-news.js';
import { writeTask } from './write-task.js';

const UPKEEP_LIMIT = 100;

/** Where executors register tasks and report what happens to them. */
export type TaskRegistry = Pick<Tasks, 'create' | 'change' | 'tell' | 'settle'>;

/** The registry of background tasks: one list, one life and one way to stop for every kind. */
export class Tasks {
  readonly #stopping: Stopping;
  readonly #queue: TaskQueue;

  constructor(private readonly context: TaskContext) {
    this.#stopping = new Stopping(context);
    this.#queue = new TaskQueue(context);
  }

  /** Commits the intent to begin a task. `running`: the caller starts it. `queued`: its executor will. */
  async create(sessionId: string, wanted: NewTask): Promise<Task> {
    return this.#record(await createTask(this.context, sessionId, wanted));
  }

  /** For executors: something that changed while it goes on. */
  async change(taskId: string, change: ExecutorChange): Promise<Task> {
    return this.#record(await changeTask(this.context, taskId, change));
  }

  /**
   * For executors: lets a task go on that is paused, or has completed and can be revived. `running`: the
   * caller goes on with it. `queued`: it will be resumed when its turn comes.
   */
  async begin(taskId: string): Promise<Task> {
    return this.#record((await beginTask(this.context, taskId)).task);
  }

  /** For executors: how a task ended. The first end counts; of later ones nothing is kept. */
  async settle(taskId: string, settlement: Settlement): Promise<Task> {
    return this.#record(await settleTask(this.context, taskId, settlement));
  }

  /**
   * For executors: news of a task that goes on, in one commit with how far it has come. False when nobody is
   * told, because it is over or there is no room; then nothing is kept either.
   */
  tell(taskId: string, text: string, detail?: Metadata): Promise<boolean> {
    return tellTask(this.context, taskId, text, detail);
  }

  /** For executors: how far a task is, said in the thread it was started in. False where there is none. */
  milestone(taskId: string, text: string): Promise<boolean> {
    const { context } = this;
    return writeTask(context, 'system', taskId, function* ({ entry }, at) {
      const events = yield* tellItsThread(context, entry, 'sidechain_milestone', text, at);
      return { events, answer: events.length > 0 };
    });
  }

  /** A session is done, though it may go on one day: its tasks go to the one above, or are stopped. */
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

  /** For who removes files: what may become of those of these tasks. */
  fileFates(
    taskIds: readonly string[],
    endedBefore: number,
  ): Promise<ReadonlyMap<string, FileFate>> {
    return fileFates(this.context, taskIds, endedBefore);
  }

  isPastSession(sessionId: string, endedBefore: number): Promise<boolean> {
    return this.context.store.read(() => isPastSession(sessionId, endedBefore));
  }

  /** Resolves when it is gone. Throws `task_not_running` for one that has ended. */
  async stop(by: Principal, taskId: string): Promise<Task> {
    const before = await this.get(by, taskId);
    await this.#stopping.stop(by, taskId);
    return this.get(by, taskId).catch((error: unknown) => {
      if (!(error instanceof StoaError) || error.code !== 'task_not_found') throw error;
      // A foreground one without an entry is nowhere any more.
      return stoppedInForeground(before, actorIdOf(by), this.context.clock.now());
    });
  }

  /** Everything of a session and of those below it, without a word to them. */
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

  /** Goes on with one that is paused, now or when there is a place. */
  async resume(by: Principal, taskId: string): Promise<Task> {
    const task = await this.get(by, taskId);
    const executor = executorHere(this.context, task);
    if (task.status === 'paused' && executor?.whyBlocked) {
      const blockedReason = (await executor.whyBlocked(task)) ?? null;
      const isNews = blockedReason !== (task.blockedReason ?? null);
      if (isNews) await changeTask(this.context, taskId, { blockedReason });
    }
    assertCanGoOn(await this.get(by, taskId), this.context.kinds.get(task.kind));
    const begun = await beginTask(this.context, taskId);
    if (begun.hasBegun) await this.#queue.start(begun);
    return this.get(by, taskId);
  }

  /** After a start: takes up what the last daemon here left. */
  async recover(): Promise<void> {
    await recoverTasks(this.context);
    for (const executor of this.context.executors.all()) await executor.recovered?.();
    await this.tick();
  }

  /** What hints may have missed. */
  async tick(): Promise<void> {
    for (const executor of this.context.executors.all()) await executor.tick?.();
    await this.#stopping.look();
    await handOverLeftBehind(this.context, this.#stopping, UPKEEP_LIMIT);
    await tellAllDue(this.context, UPKEEP_LIMIT);
    await this.#queue.poll();
  }

  /** A slot may have become free. */
  slotFreed(): void {
    void this.#queue.poll();
  }

  /** A session left its tasks behind. */
  sessionEnded(sessionId: string): void {
    this.#left(sessionId);
  }

  /** Begins nothing more. What runs goes on without this daemon, or is stopped by its executor. */
  close(): Promise<void> {
    return this.#queue.close();
  }

  #left(sessionId: string): void {
    this.ownerEnded(sessionId).catch((error: unknown) => {
      this.context.diagnose('tasks could not be handed over', { sessionId, error });
    });
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
