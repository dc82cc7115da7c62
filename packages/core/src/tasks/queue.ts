import { listQueuedTasks } from '@stoa/store';
import { eachApart } from '../kernel/each-apart.js';
import { type Begun, beginTask } from './change-task.js';
import type { TaskContext } from './context.js';
import { withApprovals } from './read-tasks.js';
import { settleTask } from './settle-task.js';

const PAGE = 100;

/**
 * Lets those begin that wait for a place: those that ran before, then first come first. Hints are only
 * hints: whatever they miss is found by who looks.
 */
export class TaskQueue {
  #looking: Promise<void> | undefined;
  #again = false;
  #isClosed = false;

  constructor(private readonly context: TaskContext) {}

  /** A place may be free. Must not throw. */
  hint(): void {
    this.#again = true;
    this.#looking ??= this.#untilQuiet().finally(() => {
      this.#looking = undefined;
      if (this.#again) this.hint();
    });
  }

  async settled(): Promise<void> {
    while (this.#looking) await this.#looking;
  }

  close(): Promise<void> {
    this.#isClosed = true;
    return this.settled();
  }

  async #untilQuiet(): Promise<void> {
    while (this.#again) {
      this.#again = false;
      if (this.#isClosed) return;
      try {
        await this.#look();
      } catch (error) {
        this.context.diagnose('waiting tasks could not be looked at', { error });
      }
    }
  }

  async #look(): Promise<void> {
    for (const { kind, whenFull } of this.context.kinds) {
      if (whenFull === 'queue') await this.#lookAt(kind);
    }
  }

  /** All of them: however many of one person wait, others may have a place. */
  async #lookAt(kind: string): Promise<void> {
    const { context } = this;
    const { location } = context;
    const full = new Set<string>();
    for (let last = { sortAt: 0, taskId: '' }; ; ) {
      const query = { location, kind, sortAt: last.sortAt, taskId: last.taskId, limit: PAGE };
      const waiting = await context.store.read(() => listQueuedTasks.all(query));
      const what = 'a waiting task could not be begun';
      const all = waiting.map(({ taskId, responsibleId }) => ({ taskId, responsibleId }));
      await eachApart(context, what, all, async ({ taskId, responsibleId }) => {
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

  /** Starts what has a place now; how that goes is told by how the task ends. */
  run(begun: Begun): void {
    this.start(begun).catch((error: unknown) => {
      this.context.diagnose('a task could not be started', { error });
    });
  }

  /** Throws what its executor threw, after the task has failed by it. */
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
