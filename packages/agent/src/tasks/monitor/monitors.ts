import { readFile } from 'node:fs/promises';
import { constants } from 'node:os';
import { join } from 'node:path';
import {
  type RunContext,
  type TaskExecutor,
  type TaskRegistry,
  type Timers,
  WATCH_START,
  type WatchProgress,
  type WatchRules,
} from '@stoa/core';
import { StoaError, type Task } from '@stoa/protocol';
import { adoptCommand } from '../../tools/shell/adopted-command.js';
import { childEnvironment } from '../../tools/shell/child-environment.js';
import { newNonce, startCommand, temporaryOf } from '../../tools/shell/command.js';
import { CommandFiles } from '../../tools/shell/command-files.js';
import { MARK } from '../../tools/shell/mark.js';
import { lastPrinted, type PrintedBefore } from '../../tools/shell/output-pieces.js';
import { findProcesses, signal } from '../../tools/shell/process-tree.js';
import type { RunningCommand } from '../../tools/shell/running-command.js';
import type { Sandbox } from '../../tools/shell/sandbox.js';
import { ToolFailure } from '../../tools/tool-failure.js';
import { readTaskOutput } from '../output-part.js';
import { newTaskId, Starts, startFailure } from '../starts.js';
import { appendToTranscript } from '../task-transcript.js';
import { type MessageSignal, MonitorDetail } from './monitor-detail.js';
import { Watching } from './watching.js';

export interface MonitorsOptions {
  /** Each session has a directory of its own name below it. */
  readonly tasksDirectory: string;
  readonly sandbox: Sandbox;
  readonly passedVariables?: readonly string[] | undefined;
  /** Milliseconds; may jump. */
  readonly now: () => number;
  readonly timers: Timers;
  readonly diagnose: (message: string, details: Readonly<Record<string, unknown>>) => void;
}

/** A command that is to be watched. */
export interface WantedMonitor extends WatchRules {
  readonly run: RunContext;
  readonly callId: string;
  readonly workspace: string;
  readonly command: string;
  readonly description: string;
  readonly messageSignal?: MessageSignal | undefined;
}

/**
 * Commands whose lines become events of a session. Each runs as every command does, and goes on when the
 * daemon does not; what it prints is in its file, and is read from there.
 */
export class Monitors {
  readonly #watched = new Map<string, Watching>();
  readonly #starts = new Starts();
  #isClosed = false;

  constructor(private readonly options: MonitorsOptions) {}

  /** Throws `too_many_tasks` before anything is started. */
  watch(wanted: WantedMonitor): Promise<Task> {
    const taskId = newTaskId(Date.now());
    return this.#starts.during(taskId, () => this.#start(taskId, wanted));
  }

  async #start(taskId: string, wanted: WantedMonitor): Promise<Task> {
    const { run, callId, workspace, command, description, maxEvents, idleMs } = wanted;
    const { sessionId } = run.session;
    const nonce = newNonce();
    const files = this.#files({ startedIn: sessionId, taskId });
    const { include, exclude, messageSignal } = wanted;
    const task = await run.taskRegistry.create(sessionId, {
      taskId,
      kind: 'monitor',
      description,
      detail: {
        ...{ command, cwd: workspace, nonce, maxEvents, idleMs },
        ...(include === undefined ? {} : { include }),
        ...(exclude === undefined ? {} : { exclude }),
        ...(messageSignal === undefined ? {} : { messageSignal }),
        ...WATCH_START,
      },
      outputPath: files.output,
      runId: run.runId,
      callId,
      origin: run.origin,
    });
    let running: RunningCommand;
    try {
      const { sandbox, passedVariables } = this.options;
      running = await startCommand({
        ...{ command, cwd: workspace, nonce, sandbox, id: taskId, kind: 'monitor' },
        directory: files.directory,
        temporary: temporaryOf(this.options.tasksDirectory, run.session.sessionId),
        environment: childEnvironment(process.env, passedVariables),
        isReleased: true,
      });
    } catch (error) {
      const end = startFailure(error);
      // The caller learns of the failure from this call.
      await run.taskRegistry.settle(taskId, { status: 'failed', end, isReported: true });
      throw new ToolFailure(`${taskId} could not be started: ${end.message}`);
    }
    void this.#writeDown(task, { type: 'started', command });
    this.#follow(run.taskRegistry, task, running);
    return task;
  }

  /** What the registry asks for; it reports to this registry what happens to a task. */
  executor(registry: TaskRegistry): TaskExecutor {
    return {
      stop: async (task, by) => {
        await this.#starts.over(task.taskId);
        const known = this.#watched.get(task.taskId);
        await (known ?? (await this.#adopt(registry, task))).stop(by);
      },
      send: (task) => this.#signal(task),
      reattach: async (task) => {
        await this.#adopt(registry, task);
      },
      read: (task, range) => readTaskOutput(this.#files(task), task, range),
      forget: (task) => this.#files(task).remove(),
    };
  }

  /** A message to a monitor is a signal: its text goes nowhere. */
  async #signal({ taskId, detail }: Task): Promise<void> {
    const { nonce, messageSignal } = MonitorDetail.parse(detail);
    if (messageSignal === undefined) {
      throw new StoaError('task_takes_no_message', `${taskId} was started without a signal`);
    }
    if (await signalCommand(nonce, messageSignal)) return;
    throw new StoaError(
      'task_takes_no_message',
      `No process of ${taskId} listens for ${messageSignal}`,
    );
  }

  /** Commands go on; who comes next takes them up again. */
  close(): void {
    this.#isClosed = true;
    for (const watching of this.#watched.values()) watching.leave();
  }

  async #adopt(registry: TaskRegistry, task: Task): Promise<Watching> {
    // Without a nonce nothing is known again as its own, and it is lost.
    const { nonce } = MonitorDetail.parse(task.detail);
    const files = this.#files(task);
    void this.#writeDown(task, { type: 'reattached' });
    return this.#follow(
      registry,
      task,
      await adoptCommand(files, nonce),
      await silentSince(task, files, nonce),
    );
  }

  #follow(
    registry: TaskRegistry,
    task: Task,
    command: RunningCommand,
    before?: PrintedBefore,
  ): Watching {
    const { taskId, detail } = task;
    const known = this.#watched.get(taskId);
    if (known) {
      command.leave();
      return known;
    }
    const { maxEvents, idleMs, include, exclude, ...rest } = MonitorDetail.parse(detail);
    const { offset, isInRest, events, dropped, missedBytes } = rest;
    const watching = new Watching(
      this.options,
      {
        taskId,
        tell: (text, progress) => registry.sendUpdate(taskId, text, { ...progress }),
        settle: async (ending, progress) => {
          await this.#writeDown(task, { type: 'ended', ...ending, ...progress });
          await registry.settle(taskId, { ...ending, detail: { ...progress } });
        },
      },
      command,
      { maxEvents, idleMs, include, exclude },
      { offset, isInRest, events, dropped, missedBytes } satisfies WatchProgress,
      before,
    );
    this.#watched.set(taskId, watching);
    if (this.#isClosed) watching.leave();
    void watching.done.finally(() => this.#watched.delete(taskId));
    return watching;
  }

  /** For people to read; that it could not be written is no failure of the monitor. */
  async #writeDown(task: TaskFiles, line: Readonly<Record<string, unknown>>): Promise<void> {
    const { directory, id } = this.#files(task);
    const path = join(directory, `monitor-${id}.jsonl`);
    await appendToTranscript(path, { at: Date.now(), ...line }).catch(() => undefined);
  }

  #files({ startedIn, taskId }: TaskFiles): CommandFiles {
    return new CommandFiles(join(this.options.tasksDirectory, startedIn), taskId, 'monitor');
  }
}

type TaskFiles = Pick<Task, 'startedIn' | 'taskId'>;

/** One that ended while nobody watched was not silent since: how it ended is what there is to tell. */
async function silentSince(
  { startedAt = Number.POSITIVE_INFINITY }: Task,
  files: CommandFiles,
  nonce: string,
): Promise<PrintedBefore | undefined> {
  if ((await files.state(nonce)).type !== 'running') return undefined;
  return (await lastPrinted(files.output)) ?? { size: 0, at: startedAt };
}

/**
 * Gives a signal to those processes of a command that listen for it; the others it would end. Whether
 * there were any.
 */
async function signalCommand(nonce: string, name: MessageSignal): Promise<boolean> {
  const found = await findProcesses({ leader: undefined, marker: `${MARK}=${nonce}` });
  let isTaken = false;
  for (const { pid, isMarked } of found ?? []) {
    if (!isMarked || !(await listens(pid, name))) continue;
    signal(pid, name);
    isTaken = true;
  }
  return isTaken;
}

/** Without a handler of its own a process ends by it, or does not hear it. */
async function listens(pid: number, name: MessageSignal): Promise<boolean> {
  try {
    const status = await readFile(`/proc/${pid}/status`, 'latin1');
    const caught = /^SigCgt:\s*([0-9a-f]+)$/m.exec(status)?.[1];
    if (caught === undefined) return false;
    return ((BigInt(`0x${caught}`) >> BigInt(constants.signals[name] - 1)) & 1n) === 1n;
  } catch {
    return false;
  }
}
