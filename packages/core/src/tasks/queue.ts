import { listQueuedTasks } from '@stoa/store';
import { DurableQueue } from '../kernel/durable-queue.js';
import { eachIsolated } from '../kernel/each-isolated.js';
import { type Begun, beginTask } from './change-task.js';
import type { TaskContext } from './context.js';
import { withApprovals } from './read-tasks.js';
import { settleTask } from './settle-task.js';

const PAGE = 100;

/** Starts queued tasks when a slot is free: first those that ran before, then the others in the order of their arrival. */
export class TaskQueue {
  readonly #queue: DurableQueue;
  #isClosed = false;

  constructor(private readonly context: TaskContext) {
    this.#queue = new DurableQueue(context, {
      failure: 'queued tasks could not be started',
      work: () => this.#startQueued(),
    });
  }

  /** A slot may be free. Does not reject. */
  poll(): Promise<void> {
    return this.#queue.poll();
  }

  close(): Promise<void> {
    this.#isClosed = true;
    return this.#queue.stop();
  }

  async #startQueued(): Promise<boolean> {
    for (const { kind, whenFull } of this.context.kinds) {
      if (whenFull === 'queue') await this.#startQueuedOf(kind);
    }
    return false;
  }

  /** Reads the whole queue: behind the tasks of a person without a free slot may be those of another person. */
  async #startQueuedOf(kind: string): Promise<void> {
    const { context } = this;
    const { location } = context;
    const full = new Set<string>();
    for (let last = { sortAt: 0, taskId: '' }; ; ) {
      const query = { location, kind, sortAt: last.sortAt, taskId: last.taskId, limit: PAGE };
      const waiting = await context.store.read(() => listQueuedTasks.all(query));
      const what = 'a queued task could not be started';
      const all = waiting.map(({ taskId, responsibleId }) => ({ taskId, responsibleId }));
      await eachIsolated(context, what, all, async ({ taskId, responsibleId }) => {
        if (this.#isClosed || full.has(responsibleId)) return;
        const begun = await beginTask(this.context, taskId);
        if (begun.hasBegun) this.run(begun);
        else if (begun.isFull) full.add(responsibleId);
      });
      const end = waiting.at(-1);
      if (!end || waiting.length < PAGE || this.#isClosed) return;
      last = end;
    }
  }

  /** Starts a task that has a slot. If that fails, the task fails. */
  run(begun: Begun): void {
    this.start(begun).catch((error: unknown) => {
      this.context.diagnose('a task could not be started', { error });
    });
  }

  /** Throws what its executor threw; the task has failed by then. */
  async start({ task, isFirst }: Begun): Promise<void> {
    const executor = this.context.executors.get(task.kind);
    try {
      const begin = isFirst ? executor?.start?.bind(executor) : executor?.resume?.bind(executor);
      if (!begin) throw new Error(`This daemon cannot begin tasks of kind ${task.kind}`);
      await begin(await withApprovals(this.context, task));
    } catch (error) {
      await settleTask(this.context, task.taskId, notStarted(error));
      throw error;
    }
  }
}

const notStarted = (error: unknown) => ({
  status: 'failed' as const,
  end: {
    cause: 'spawn_failed',
    message: (error instanceof Error ? error.message : String(error)).slice(0, 2_000),
  },
});
