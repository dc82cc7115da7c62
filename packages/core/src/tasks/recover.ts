import type { TaskEntry } from '@stoa/protocol';
import { listLiveTasks } from '@stoa/store';
import { decode } from '../kernel/codec.js';
import { changeTask } from './change-task.js';
import type { TaskContext } from './context.js';
import { withApprovals } from './read-tasks.js';
import { settleTask } from './settle-task.js';
import { withoutExecutor } from './stopping.js';

const PAGE = 100;

/**
 * After a start of the daemon, its running tasks are reattached, paused or lost. `Stopping.stopMarked` stops those that are
 * marked.
 */
export async function recoverTasks(context: TaskContext): Promise<void> {
  const { location } = context;
  for (let after: string | undefined = ''; after !== undefined; ) {
    const from: string = after;
    const rows = await context.store.read(() =>
      listLiveTasks.all({ location, after: from, limit: PAGE }),
    );
    for (const { entry } of rows) await recover(context, decode(entry));
    after = rows.length < PAGE ? undefined : rows.at(-1)?.taskId;
  }
}

async function recover(context: TaskContext, entry: TaskEntry): Promise<void> {
  const { taskId } = entry;
  const kind = context.kinds.find(entry.kind);
  const executor = context.executors.get(entry.kind);
  try {
    if (!kind || !executor) {
      await settleTask(context, taskId, withoutExecutor(entry));
      return;
    }
    if (entry.stopping || entry.status !== 'running') return;
    // The call that waited for it is gone.
    const isPaused = kind.afterRestart(entry) === 'pause';
    const task =
      entry.isForeground || isPaused
        ? await changeTask(context, taskId, {
            ...(entry.isForeground ? { isForeground: false } : {}),
            ...(isPaused ? { status: 'paused' } : {}),
          })
        : entry;
    if (!isPaused) await executor.reattach(await withApprovals(context, task));
  } catch (error) {
    context.diagnose('a task could not be reattached', { taskId, error });
    const message = error instanceof Error ? error.message.slice(0, 2_000) : String(error);
    await settleTask(context, taskId, {
      status: 'lost',
      end: { cause: 'outcome_unknown', message },
    });
  }
}
