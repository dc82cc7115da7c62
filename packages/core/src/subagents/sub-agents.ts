import {
  StoaError,
  SYSTEM,
  type Task,
  type TaskEntry,
  TERMINAL_TASK_STATUSES,
} from '@stoa/protocol';
import { findBackgroundTask, listRunsOfSession, type Tx } from '@stoa/store';
import type { StartedProgram } from '../agents/started-programs.js';
import { decode } from '../kernel/codec.js';
import { readRun } from '../runs/cancel-run.js';
import { endSession } from '../sessions/change-session.js';
import { type OpenSession, sessionToRead } from '../sessions/session-gate.js';
import type { TaskContext } from '../tasks/context.js';
import { isGoneWithin } from '../tasks/is-gone-within.js';
import type { OutputPart, OutputRange, TaskExecutor, TaskMessage } from '../tasks/kind.js';
import { isEnded } from '../tasks/lifecycle.js';
import { takesNoMessage } from '../tasks/takes-no-message.js';
import type { Tasks } from '../tasks/tasks.js';
import { textOf } from './agent-end.js';
import { AGENT, agentDetail } from './agent-kind.js';
import { cancelRuns, endSessionOf, letGoOn, settleIfDone } from './agent-session.js';
import { openRuns, taskOfSession } from './agent-task.js';
import { isHeldBack } from './held-back.js';
import { launchAgent, type NewSubAgent, programsOf } from './launch-agent.js';
import { messageAgent } from './message-agent.js';
import type { SessionRuns } from './session-runs.js';
import { TaskWaiters } from './task-waiters.js';
import { foregroundAgents, isOver, WaitedFor } from './waited-for.js';
import { whyBlocked } from './why-blocked.js';

/**
 * Agents as background tasks. Each works in a session of its own below that of who started it, with any
 * driver, and at most with its rights. The session does the work as every session does; this says when it
 * may (see `isHeldBack`), and its runs say when it is done (see `agentRunEnded`).
 */
export class SubAgents implements TaskExecutor {
  readonly #waiters: TaskWaiters;
  readonly #waitedFor = new WaitedFor();
  #isKnown = false;

  constructor(
    private readonly context: TaskContext,
    private readonly tasks: Tasks,
    private readonly runs: SessionRuns,
  ) {
    this.#waiters = new TaskWaiters(context.timers);
  }

  /** Resolves when it works or waits for a place. Throws what making its session throws; nothing is left then. */
  /** What an agent would start with it: permission for each of these is asked first. */
  programsOf(sessionId: string, agentId: string | undefined): Promise<readonly StartedProgram[]> {
    return programsOf(this.context, sessionId, agentId);
  }

  async launch(sessionId: string, wanted: NewSubAgent): Promise<Task> {
    const taskId = this.context.ids.next('tsk');
    const waits = wanted.isForeground ? wanted.runId : undefined;
    // Known before there is one: a run that ends right after it was made finds it.
    if (waits !== undefined) this.#waitedFor.add(waits, taskId);
    try {
      return await launchAgent(this.context, sessionId, taskId, wanted);
    } catch (error) {
      if (waits !== undefined) this.#waitedFor.drop(waits, taskId);
      throw error;
    }
  }

  /** Resolves when it has ended, or nobody is to wait for it any more. Rejects when the signal aborts. */
  async finished(taskId: string, signal: AbortSignal): Promise<Task> {
    for (;;) {
      const news = this.#waiters.news(taskId, signal);
      const task = await this.tasks.get(SYSTEM, taskId);
      if (isEnded(task.status) || !task.isForeground) {
        news.cancel();
        return task;
      }
      await news.arrived;
    }
  }

  /** All that it said at its end. */
  async resultOf(task: Task): Promise<string> {
    const { lastRunId } = agentDetail(task);
    if (lastRunId === undefined) return '';
    return textOf((await readRun(this.context, lastRunId)).output ?? []);
  }

  /**
   * What an agent in the background tells who started it is how far it is: it is told in the thread too that
   * it was started in. False where there is none.
   */
  async milestone(fromSessionId: string, toSessionId: string, text: string): Promise<boolean> {
    const task = await this.context.store.read(function* () {
      const session = yield* sessionToRead(SYSTEM, fromSessionId);
      return yield* taskOfSession(session, { lock: false });
    });
    if (task?.entry.sessionId !== toSessionId || task.entry.isForeground) return false;
    return this.tasks.milestone(task.entry.taskId, text);
  }

  isHeldBack(session: OpenSession): Tx<boolean> {
    return isHeldBack(session, { location: this.context.location, isKnown: this.#isKnown });
  }

  async start(task: Task): Promise<void> {
    const worksIn = await this.#sessionOf(task);
    const hasWork = await this.#read(worksIn, openRuns);
    if (hasWork.length === 0) {
      throw new StoaError('task_not_resumable', 'The daemon ended before it had its prompt');
    }
    this.runs.wake(worksIn);
  }

  /** What it was at is taken up by its session; with nothing to do, it is done. */
  async resume(task: Task): Promise<void> {
    const { sessionId } = agentDetail(task);
    const why = await whyBlocked(this.context, sessionId);
    if (why !== undefined || sessionId === undefined) {
      await this.tasks.change(task.taskId, { status: 'paused', blockedReason: why ?? null });
      return;
    }
    await this.#settleIdle(task, sessionId);
    this.runs.wake(sessionId);
  }

  whyBlocked(task: Task): Promise<string | undefined> {
    return whyBlocked(this.context, agentDetail(task).sessionId);
  }

  async send(task: Task, message: TaskMessage): Promise<void> {
    const { sessionId } = agentDetail(task);
    const { taskId } = task;
    const why = await whyBlocked(this.context, sessionId);
    if (why !== undefined || sessionId === undefined) {
      await this.tasks.change(taskId, { blockedReason: why ?? null });
      throw takesNoMessage(task, why ?? '');
    }
    await messageAgent(this.context, task, sessionId, message);
    this.runs.wake(sessionId);
  }

  /** Its runs are cancelled, with what they ask; whether it listens or not, it is gone after a while. */
  async stop(task: Task, by: string): Promise<void> {
    const { sessionId } = agentDetail(task);
    let isGone = true;
    if (sessionId !== undefined) {
      await cancelRuns(this.context, sessionId);
      isGone = await isGoneWithin(this.context.timers, this.runs.idle(sessionId), STOP_MS);
    }
    await this.tasks.settle(task.taskId, {
      status: 'cancelled',
      end: {
        cause: 'stopped',
        by,
        ...(isGone ? {} : { message: 'It did not stop when it was told to, and was left behind' }),
      },
    });
  }

  /** What it was at is taken up by its session, as soon as all tasks are known again. */
  async reattach(task: Task): Promise<void> {
    const { sessionId } = agentDetail(task);
    const why = await whyBlocked(this.context, sessionId);
    if (why === undefined && sessionId !== undefined) await this.#settleIdle(task, sessionId);
    else await this.tasks.change(task.taskId, { status: 'paused', blockedReason: why ?? null });
  }

  /** What an agent puts out is all that it does. */
  async read({ transcriptPath }: Task, range: OutputRange): Promise<OutputPart | undefined> {
    if (transcriptPath === undefined) return undefined;
    return this.runs.readTranscript?.(transcriptPath, range);
  }

  /** What runs may go on now; and what agents left that ended with the last daemon goes to who it is for. */
  async recovered(): Promise<void> {
    this.#isKnown = true;
    const all = { kind: AGENT.kind, limit: LOOKED_AT };
    const paused = await this.tasks.list(SYSTEM, { ...all, status: 'paused' });
    for (const task of paused.tasks) await this.#lookAtPaused(task);
    const { tasks } = await this.tasks.list(SYSTEM, { ...all, status: 'running' });
    for (const task of tasks) {
      const { sessionId } = agentDetail(task);
      if (sessionId !== undefined) this.runs.wake(sessionId);
    }
    for (const status of TERMINAL_TASK_STATUSES) {
      const ended = await this.tasks.list(SYSTEM, { ...all, status });
      for (const task of ended.tasks) await this.#leave(task);
    }
  }

  /** Stops what was waited for by runs that ended under another daemon, which is not told here. */
  async tick(): Promise<void> {
    const waiting = await foregroundAgents(this.context);
    const runIds = new Set([...this.#waitedFor.runIds, ...waiting.map(({ runId }) => runId)]);
    for (const runId of runIds) {
      if (!(await isOver(this.context, runId))) continue;
      this.#runEnded(
        runId,
        waiting.filter((task) => task.runId === runId),
      );
    }
  }

  taskChanged(taskId: string): void {
    this.#waiters.tell(taskId);
  }

  taskEnded(taskId: string): void {
    this.#waiters.tell(taskId);
    this.#later(() => this.#ended(taskId));
  }

  /** Not listed any more, it cannot be revived either. */
  taskEvicted(sessionId: string, taskId: string): void {
    this.#later(() => endSessionOf(this.context, sessionId, taskId));
  }

  runEnded(runId: string): void {
    this.#runEnded(runId);
  }

  runCancelled(sessionId: string, runId: string): void {
    this.#runEnded(runId);
    this.#later(() => settleIfDone(this.context, sessionId));
  }

  runResumed(sessionId: string, resumed: { runId: string; unknownCallIds: string[] }): void {
    const { runId } = resumed;
    // What waited here for it does not continue: after this it waits again for what is known then.
    this.#waitedFor.take(runId);
    const isWaitedFor = (taskId: string): boolean => this.#waitedFor.has(runId, taskId);
    this.#later(() => letGoOn(this.context, { sessionId, ...resumed }, isWaitedFor));
  }

  sessionEnded(sessionId: string): void {
    this.#later(() => this.#lostSession(sessionId));
  }

  /** Says whether it can go on. One that another daemon goes on with, or that is done, is not paused. */
  async #lookAtPaused(task: Task): Promise<void> {
    if (task.location !== this.context.location) return;
    const { taskId } = task;
    const { sessionId } = agentDetail(task);
    const why = await whyBlocked(this.context, sessionId);
    if (why !== task.blockedReason) await this.tasks.change(taskId, { blockedReason: why ?? null });
    if (why !== undefined || sessionId === undefined) return;
    const { runs } = this;
    const isAnothers = await this.#read(sessionId, (session) => runs.isAnothers(session));
    if (!isAnothers && (await this.#read(sessionId, openRuns)).length > 0) return;
    const { status } = await this.tasks.begin(taskId);
    if (status === 'running') await this.#settleIdle(task, sessionId);
  }

  /** Settles one that is done, and one whose prompt the last daemon did not live to give it. */
  async #settleIdle({ taskId }: Task, worksIn: string): Promise<void> {
    if (await settleIfDone(this.context, worksIn)) return;
    const all = { before: Number.MAX_SAFE_INTEGER, limit: 1 };
    const runs = await this.#read(worksIn, ({ topicId }) =>
      listRunsOfSession.all({ topicId, ...all }),
    );
    if (runs.length > 0) return;
    const end = { cause: 'crashed', message: 'The daemon ended before it had its prompt' };
    await this.tasks.settle(taskId, { status: 'failed', end });
  }

  #runEnded(runId: string, found: readonly Pick<Task, 'taskId'>[] = []): void {
    const known = this.#waitedFor.take(runId);
    for (const taskId of new Set([...known, ...found.map((task) => task.taskId)])) {
      this.#later(() => this.#stopWaitedFor(taskId));
    }
  }

  /** A run that is over waits for nothing; one that goes on under another daemon has not ended. */
  async #stopWaitedFor(taskId: string): Promise<void> {
    const row = await this.context.store.read(() => findBackgroundTask.first({ taskId }));
    if (!row) return;
    const { status, isForeground } = decode(row.entry);
    if (!isEnded(status) && isForeground) await this.tasks.stop(SYSTEM, taskId);
  }

  async #ended(taskId: string): Promise<void> {
    const row = await this.context.store.read(() => findBackgroundTask.first({ taskId }));
    if (row?.kind !== AGENT.kind) return;
    const entry = decode(row.entry);
    await this.#leave(entry);
    // It may have been the last that an agent waited for, without being told.
    await settleIfDone(this.context, entry.sessionId);
  }

  /** One that runs has ended by it; one that is paused stays, and says why it cannot go on. */
  async #lostSession(worksIn: string): Promise<void> {
    if (await settleIfDone(this.context, worksIn)) return;
    const task = await this.#read(worksIn, (session) => taskOfSession(session, { lock: false }));
    if (task?.entry.status !== 'paused' || task.session.endedAt !== null) return;
    const blockedReason = (await whyBlocked(this.context, worksIn)) ?? null;
    await this.tasks.change(task.entry.taskId, { blockedReason });
  }

  /**
   * What an agent leaves when it ends: what goes on of its tasks goes to its parent, or is stopped. The
   * session of one that can be revived stays; the others are over.
   */
  async #leave(entry: TaskEntry): Promise<void> {
    const { sessionId } = agentDetail(entry);
    if (sessionId === undefined || !isEnded(entry.status)) return;
    if (entry.status === 'completed') await this.tasks.ownerEnded(sessionId);
    else await endSession(this.context, SYSTEM, sessionId);
  }

  #read<T>(worksIn: string, look: (session: OpenSession) => Tx<T>): Promise<T> {
    return this.context.store.read(function* () {
      return yield* look(yield* sessionToRead(SYSTEM, worksIn));
    });
  }

  async #sessionOf(task: Task): Promise<string> {
    const { sessionId } = agentDetail(task);
    const why = await whyBlocked(this.context, sessionId);
    if (sessionId !== undefined && why === undefined) return sessionId;
    throw new StoaError('task_not_resumable', `${task.taskId} cannot begin: ${why ?? ''}`);
  }

  #later(work: () => Promise<unknown>): void {
    work().catch((error: unknown) => {
      this.context.diagnose('what became of an agent could not be looked at', { error });
    });
  }
}

/** An agent that does not stop when it is told to counts as stopped after this. */
const STOP_MS = 5_000;
const LOOKED_AT = 1_000;
