import {
  actorIdOf,
  type Principal,
  StoaError,
  SYSTEM,
  sessionTopic,
  type Task,
  type TaskEntry,
} from '@stoa/protocol';
import { listFamily, listLiveTasksOfSession, listTasksToStop, type Tx } from '@stoa/store';
import { decode } from '../kernel/codec.js';
import type { Decision, NewEvent } from '../kernel/log.js';
import { sessionToRead, sessionToServe } from '../sessions/session-gate.js';
import type { TaskContext } from './context.js';
import { isEnded } from './lifecycle.js';
import { dropNotices } from './notice.js';
import { changed } from './projection.js';
import { foregroundOf, withApprovals } from './read-tasks.js';
import { forget, type Settlement, settleTask, settling } from './settle-task.js';
import { settlesWithin } from './settles-within.js';
import { assertMayDirectTask } from './task-gate.js';
import { type OpenTask, taskChanged, writeTask } from './write-task.js';

/** Tasks that start while others are being stopped are stopped in the next round. */
const MAX_ROUNDS = 5;
const PAGE = 100;
/** Regular work waits this long for a task to stop; stopping continues after that. */
const TICK_WAIT_MS = 10_000;

interface Mark {
  readonly by: string;
  /** There is no notice of its end. */
  readonly isSilent: boolean;
}

interface Marked {
  readonly events: readonly NewEvent[];
  readonly task: TaskEntry;
  readonly evicted: readonly TaskEntry[];
}

/**
 * Stops tasks. The request is committed first (`stopping`), so that another daemon or a later tick can continue it. The task
 * is `cancelled` when its executor has stopped it.
 */
export class Stopping {
  readonly #underWay = new Map<string, Promise<void>>();

  constructor(private readonly context: TaskContext) {}

  async stop(by: Principal, taskId: string): Promise<void> {
    const { context } = this;
    const actor = actorIdOf(by);
    const foreground = foregroundOf(context).find((task) => task.taskId === taskId);
    if (foreground) {
      await context.store.read(() => assertMayDirectTask(by, foreground));
      await context.executors.get(foreground.kind)?.stop(foreground, actor);
      return;
    }
    const marked = await writeTask(context, actor, taskId, function* (open, at) {
      const { entry } = open;
      yield* assertMayDirectTask(by, entry);
      if (isEnded(entry.status)) {
        throw new StoaError('task_not_running', `${taskId} is ${entry.status} already`);
      }
      // A session that stops its own task gets the answer of the tool.
      const isSilent = by.kind === 'session' && by.id === entry.sessionId;
      const answer = yield* marking(context, open, { by: actor, isSilent }, at);
      return { events: answer.events, answer };
    });
    forget(context, marked.evicted);
    await this.#end(marked.task);
  }

  /** Stops the tasks of a session and of the sessions below it, without notices. Returns the stopped tasks. */
  async stopAll(by: Principal, sessionId: string): Promise<TaskEntry[]> {
    const { context } = this;
    await context.store.read(function* () {
      yield* assertMayDirectTask(by, yield* sessionToRead(SYSTEM, sessionId));
    });
    const actor = actorIdOf(by);
    const stopped = new Map<string, TaskEntry>();
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const marked: TaskEntry[] = [];
      for (const member of await this.#family(sessionId)) {
        marked.push(...(await this.#markAll(actor, member)));
      }
      const fresh = marked.filter(({ taskId }) => !stopped.has(taskId));
      // The last round drops notices that were added in the meantime.
      if (round > 0 && fresh.length === 0) break;
      for (const task of fresh) stopped.set(task.taskId, task);
      const foreground = round === 0 ? await this.#foreground(sessionId) : [];
      const ends = [
        ...fresh.map((task) => this.#end(task)),
        ...foreground.map(async (task) => context.executors.get(task.kind)?.stop(task, actor)),
      ];
      for (const end of await Promise.allSettled(ends)) {
        if (end.status === 'rejected') throw end.reason;
      }
    }
    return [...stopped.values()];
  }

  /** Stops a task whose session has ended, without a notice. */
  async stopSilently(taskId: string): Promise<void> {
    const { context } = this;
    const marked = await writeTask(context, 'system', taskId, function* (open, at) {
      const answer = yield* marking(context, open, { by: 'system', isSilent: true }, at);
      return { events: answer.events, answer };
    });
    forget(context, marked.evicted);
    await this.#endInTime(marked.task);
  }

  /** Stops tasks that another daemon marked, or this one before it restarted. */
  async stopMarked(): Promise<void> {
    const { context } = this;
    const { location } = context;
    const rows = await context.store.read(() => listTasksToStop.all({ location, limit: PAGE }));
    const tasks = rows.map(({ entry }) => decode(entry));
    await Promise.all(
      tasks.map((task) =>
        this.#endInTime(task).catch((error: unknown) => {
          context.diagnose('a task could not be stopped', { taskId: task.taskId, error });
        }),
      ),
    );
  }

  async #endInTime(task: TaskEntry): Promise<void> {
    await settlesWithin(this.context.timers, this.#end(task), TICK_WAIT_MS);
  }

  /** Stops a marked task of this daemon; does nothing for others. */
  async #end(task: TaskEntry): Promise<void> {
    const { stopping, taskId, location } = task;
    if (!stopping || isEnded(task.status) || location !== this.context.location) return;
    let ending = this.#underWay.get(taskId);
    if (!ending) {
      ending = this.#carryOut(task, stopping.by).finally(() => this.#underWay.delete(taskId));
      this.#underWay.set(taskId, ending);
    }
    await ending;
  }

  async #carryOut(task: TaskEntry, by: string): Promise<void> {
    const { context } = this;
    const { taskId } = task;
    const executor = context.executors.get(task.kind);
    if (!executor) {
      await settleTask(context, taskId, withoutExecutor(task));
      return;
    }
    try {
      await executor.stop(await withApprovals(context, task), by);
    } catch (error) {
      await this.#unmark(taskId);
      throw error;
    }
    await settleTask(context, taskId, { status: 'cancelled', end: { cause: 'stopped', by } });
  }

  /** The task could not be stopped and goes on. */
  async #unmark(taskId: string): Promise<void> {
    await writeTask(this.context, 'system', taskId, ({ session, entry }) => {
      if (!entry.stopping) return { events: [], answer: undefined };
      const notice = entry.isForeground ? ('none' as const) : ('due' as const);
      const events = [taskChanged(session, taskId, { stopping: null, notice })];
      return { events, answer: undefined };
    });
  }

  async #family(sessionId: string): Promise<string[]> {
    const { store } = this.context;
    const rows = await store.read(() => listFamily.all({ sessionId }));
    return [...new Set([sessionId, ...rows.map((row) => row.sessionId)])];
  }

  async #foreground(sessionId: string): Promise<Task[]> {
    const family = new Set(await this.#family(sessionId));
    return foregroundOf(this.context).filter((task) => family.has(task.sessionId));
  }

  async #markAll(actor: string, sessionId: string): Promise<TaskEntry[]> {
    const { context } = this;
    const all = await context.log.write({
      actor,
      lane: sessionTopic(sessionId),
      open: () => sessionToServe(sessionId),
      *decide(session, at): Tx<Decision<Marked[]>> {
        const events: NewEvent[] = [];
        const all: Marked[] = [];
        for (const row of yield* listLiveTasksOfSession.all(session)) {
          const entry = decode(row.entry);
          const mark = { by: actor, isSilent: true };
          const marked = yield* marking(context, { session, entry }, mark, at);
          events.push(...marked.events);
          all.push(marked);
        }
        events.push(...(yield* dropNotices(context, session)));
        return { events, answer: () => all };
      },
    });
    for (const { evicted } of all) forget(context, evicted);
    return all.map(({ task }) => task);
  }
}

/** Cancels a task that never started, and marks others to be stopped. Waiting items about it are dropped. */
function* marking(
  context: TaskContext,
  open: OpenTask,
  { by, isSilent }: Mark,
  at: number,
): Tx<Marked> {
  const { session, entry } = open;
  if (isEnded(entry.status)) return { events: [], task: entry, evicted: [] };
  if (entry.status === 'queued' && entry.startedAt === undefined) {
    const end = { cause: 'stopped', by };
    return yield* settling(context, open, { status: 'cancelled', end, isReported: isSilent }, at);
  }
  const change = {
    ...(entry.stopping ? {} : { stopping: { by, at } }),
    ...(isSilent && entry.notice !== 'none' ? { notice: 'none' as const } : {}),
  };
  const task = changed(entry, change, at);
  if (Object.keys(change).length === 0) return { events: [], task, evicted: [] };
  return {
    events: [
      taskChanged(session, entry.taskId, change),
      ...(yield* dropNotices(context, session, entry.taskId)),
    ],
    task,
    evicted: [],
  };
}

export const withoutExecutor = ({ kind }: TaskEntry): Settlement => ({
  status: 'lost',
  end: { cause: 'no_executor', message: `This daemon has no executor for tasks of kind ${kind}` },
});
