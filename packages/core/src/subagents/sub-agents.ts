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
import type { OutputPart, OutputRange, TaskExecutor, TaskMessage } from '../tasks/kind.js';
import { isEnded } from '../tasks/lifecycle.js';
import { takesNoMessage } from '../tasks/requests.js';
import { settlesWithin } from '../tasks/settles-within.js';
import type { Tasks } from '../tasks/tasks.js';
import { outputText } from './agent-end.js';
import { AGENT, agentDetail } from './agent-kind.js';
import { cancelRuns, endSessionOf, releaseAgents, settleIfDone } from './agent-session.js';
import { openRuns, taskOfSession } from './agent-task.js';
import { ForegroundAgents, hasRunEnded, listForegroundAgents } from './foreground-agents.js';
import { isHeldBack } from './held-back.js';
import { launchAgent, type NewSubAgent, programsOf } from './launch-agent.js';
import { messageAgent } from './message-agent.js';
import { TaskWaiters } from './task-waiters.js';
import { whyBlocked } from './why-blocked.js';

/** Reads part of the transcript of a task, if it has one. */
export type ReadTranscript = (path: string, range: OutputRange) => Promise<OutputPart | undefined>;

/** What agents need of the runs of sessions. */
export interface SessionRuns {
  readonly readTranscript?: ReadTranscript;
  wake(sessionId: string): void;
  idle(sessionId: string): Promise<void>;
  isAnothers(session: OpenSession): Tx<boolean>;
}

/**
 * Agents as background tasks. Each works in a session of its own, below the session that started it and with at most its
 * rights. `isHeldBack` decides when that session may run; the end of its runs decides when the agent is done (`agentRunEnded`).
 */
export class SubAgents implements TaskExecutor {
  readonly #waiters: TaskWaiters;
  readonly #foreground = new ForegroundAgents();
  #isRecovered = false;

  constructor(
    private readonly context: TaskContext,
    private readonly tasks: Tasks,
    private readonly runs: SessionRuns,
  ) {
    this.#waiters = new TaskWaiters(context.timers);
  }

  /** The programs that an agent starts. Each needs an approval before `launch`. */
  programsOf(sessionId: string, agentId: string | undefined): Promise<readonly StartedProgram[]> {
    return programsOf(this.context, sessionId, agentId);
  }

  /** Resolves when the agent runs or is queued. If it throws, nothing is left. */
  async launch(sessionId: string, wanted: NewSubAgent): Promise<Task> {
    const taskId = this.context.ids.next('tsk');
    const waitingRunId = wanted.isForeground ? wanted.runId : undefined;
    // Added before the task exists, so that the end of the run always finds it.
    if (waitingRunId !== undefined) this.#foreground.add(waitingRunId, taskId);
    try {
      return await launchAgent(this.context, sessionId, taskId, wanted);
    } catch (error) {
      if (waitingRunId !== undefined) this.#foreground.delete(waitingRunId, taskId);
      throw error;
    }
  }

  /** Resolves when the agent has ended or was sent to the background. Rejects when the signal aborts. */
  async finished(taskId: string, signal: AbortSignal): Promise<Task> {
    for (;;) {
      const change = this.#waiters.nextChange(taskId, signal);
      const task = await this.tasks.get(SYSTEM, taskId);
      if (isEnded(task.status) || !task.isForeground) {
        change.cancel();
        return task;
      }
      await change.arrived;
    }
  }

  /** The whole output of its last run. */
  async resultOf(task: Task): Promise<string> {
    const { lastRunId } = agentDetail(task);
    if (lastRunId === undefined) return '';
    return outputText((await readRun(this.context, lastRunId)).output ?? []);
  }

  /**
   * Reports a message of a background agent to the session that started it also in the thread of the task. False if there is
   * none.
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
    return isHeldBack(session, { location: this.context.location, isRecovered: this.#isRecovered });
  }

  async start(task: Task): Promise<void> {
    const worksIn = await this.#sessionOf(task);
    const hasWork = await this.#read(worksIn, openRuns);
    if (hasWork.length === 0) {
      throw new StoaError('task_not_resumable', 'The daemon ended before it had its prompt');
    }
    this.runs.wake(worksIn);
  }

  /** Its session resumes its runs; without open runs the agent is done. */
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

  /** Cancels its runs and their approvals. An agent that does not stop in time counts as stopped. */
  async stop(task: Task, by: string): Promise<void> {
    const { sessionId } = agentDetail(task);
    let hasStopped = true;
    if (sessionId !== undefined) {
      await cancelRuns(this.context, sessionId);
      hasStopped = await settlesWithin(this.context.timers, this.runs.idle(sessionId), STOP_MS);
    }
    await this.tasks.settle(task.taskId, {
      status: 'cancelled',
      end: {
        cause: 'stopped',
        by,
        ...(hasStopped ? {} : { message: 'It did not stop in time and was abandoned' }),
      },
    });
  }

  /** Its session resumes its runs once all tasks are recovered. */
  async reattach(task: Task): Promise<void> {
    const { sessionId } = agentDetail(task);
    const why = await whyBlocked(this.context, sessionId);
    if (why === undefined && sessionId !== undefined) await this.#settleIdle(task, sessionId);
    else await this.tasks.change(task.taskId, { status: 'paused', blockedReason: why ?? null });
  }

  /** The output of an agent is its transcript. */
  async read({ transcriptPath }: Task, range: OutputRange): Promise<OutputPart | undefined> {
    if (transcriptPath === undefined) return undefined;
    return this.runs.readTranscript?.(transcriptPath, range);
  }

  /** Lets running agents continue, and finishes what the last daemon did not do for ended ones. */
  async recovered(): Promise<void> {
    this.#isRecovered = true;
    const all = { kind: AGENT.kind, limit: MAX_RECOVERED };
    const paused = await this.tasks.list(SYSTEM, { ...all, status: 'paused' });
    for (const task of paused.tasks) await this.#checkPaused(task);
    const { tasks } = await this.tasks.list(SYSTEM, { ...all, status: 'running' });
    for (const task of tasks) {
      const { sessionId } = agentDetail(task);
      if (sessionId !== undefined) this.runs.wake(sessionId);
    }
    for (const status of TERMINAL_TASK_STATUSES) {
      const ended = await this.tasks.list(SYSTEM, { ...all, status });
      for (const task of ended.tasks) await this.#cleanUp(task);
    }
  }

  /** Stops foreground agents of runs that ended under another daemon, which causes no event here. */
  async tick(): Promise<void> {
    const waiting = await listForegroundAgents(this.context);
    const runIds = new Set([...this.#foreground.runIds, ...waiting.map(({ runId }) => runId)]);
    for (const runId of runIds) {
      if (!(await hasRunEnded(this.context, runId))) continue;
      this.#runEnded(
        runId,
        waiting.filter((task) => task.runId === runId),
      );
    }
  }

  taskChanged(taskId: string): void {
    this.#waiters.changed(taskId);
  }

  taskEnded(taskId: string): void {
    this.#waiters.changed(taskId);
    this.#later(() => this.#ended(taskId));
  }

  /** An evicted agent cannot be revived. */
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
    // The calls of the interrupted run do not continue.
    this.#foreground.take(runId);
    const isWaitedFor = (taskId: string): boolean => this.#foreground.has(runId, taskId);
    this.#later(() => releaseAgents(this.context, { sessionId, ...resumed }, isWaitedFor));
  }

  sessionEnded(sessionId: string): void {
    this.#later(() => this.#lostSession(sessionId));
  }

  /** Updates the reason why a paused agent cannot continue. An agent that is done, or that another daemon runs, is not paused. */
  async #checkPaused(task: Task): Promise<void> {
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

  /** Settles an agent that is done, or that never got its prompt because the daemon stopped. */
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
    const known = this.#foreground.take(runId);
    for (const taskId of new Set([...known, ...found.map((task) => task.taskId)])) {
      this.#later(() => this.#stopForeground(taskId));
    }
  }

  /** Stops an agent whose run has ended, unless it was sent to the background. */
  async #stopForeground(taskId: string): Promise<void> {
    const row = await this.context.store.read(() => findBackgroundTask.first({ taskId }));
    if (!row) return;
    const { status, isForeground } = decode(row.entry);
    if (!isEnded(status) && isForeground) await this.tasks.stop(SYSTEM, taskId);
  }

  async #ended(taskId: string): Promise<void> {
    const row = await this.context.store.read(() => findBackgroundTask.first({ taskId }));
    if (row?.kind !== AGENT.kind) return;
    const entry = decode(row.entry);
    await this.#cleanUp(entry);
    // An agent above may have waited only for this one.
    await settleIfDone(this.context, entry.sessionId);
  }

  /** The session of an agent ended: a running agent has ended too, a paused one gets the reason why it cannot continue. */
  async #lostSession(worksIn: string): Promise<void> {
    if (await settleIfDone(this.context, worksIn)) return;
    const task = await this.#read(worksIn, (session) => taskOfSession(session, { lock: false }));
    if (task?.entry.status !== 'paused' || task.session.endedAt !== null) return;
    const blockedReason = (await whyBlocked(this.context, worksIn)) ?? null;
    await this.tasks.change(task.entry.taskId, { blockedReason });
  }

  /** Hands over or stops the tasks of an agent that has ended. Its session ends too, unless the agent can be revived. */
  async #cleanUp(entry: TaskEntry): Promise<void> {
    const { sessionId } = agentDetail(entry);
    if (sessionId === undefined || !isEnded(entry.status)) return;
    if (entry.status === 'completed') await this.tasks.ownerEnded(sessionId);
    else await endSession(this.context, SYSTEM, sessionId);
  }

  #read<T>(worksIn: string, read: (session: OpenSession) => Tx<T>): Promise<T> {
    return this.context.store.read(function* () {
      return yield* read(yield* sessionToRead(SYSTEM, worksIn));
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
      this.context.diagnose('a change of an agent could not be handled', { error });
    });
  }
}

const STOP_MS = 5_000;
const MAX_RECOVERED = 1_000;
