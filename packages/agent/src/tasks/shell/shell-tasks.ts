import { join } from 'node:path';
import type { TaskExecutor, TaskMessage, TaskRegistry } from '@stoa/core';
import { StoaError, type Task } from '@stoa/protocol';
import { adoptCommand } from '../../tools/shell/adopted-command.js';
import { childEnvironment } from '../../tools/shell/child-environment.js';
import { newNonce, startCommand, temporaryOf } from '../../tools/shell/command.js';
import { CommandFiles } from '../../tools/shell/command-files.js';
import type { RunningCommand } from '../../tools/shell/running-command.js';
import type { Sandbox } from '../../tools/shell/sandbox.js';
import { ToolFailure } from '../../tools/tool-failure.js';
import { readTaskOutput } from '../output-part.js';
import { newTaskId, Starts, startFailure } from '../starts.js';

import { appendToTranscript } from '../task-transcript.js';
import { BackgroundCommands, type FollowedCommand } from './background-commands.js';
import { writeInput } from './command-input.js';
import { ForegroundCommand } from './foreground-command.js';
import {
  type BackgroundCommand,
  newShellTask,
  SHELL_KIND,
  shellDetail,
  type WaitedCommand,
  type WantedCommand,
  waitedTask,
} from './wanted-command.js';

export interface ShellTasksOptions {
  /** Each session has a directory of its own name below it. */
  readonly tasksDirectory: string;
  readonly sandbox: Sandbox;
  /** Variables of the daemon that commands get besides the usual ones. */
  readonly passedVariables?: readonly string[] | undefined;
  /** The machine and data directory. */
  readonly location?: string;
  readonly now?: () => number;
  readonly diagnose?: (message: string, details: Readonly<Record<string, unknown>>) => void;
  /** After which what could not be entered is tried again. */
  readonly retryMs?: number | undefined;
}

interface Foreground {
  readonly command: ForegroundCommand;
  readonly running: RunningCommand;
  readonly task: Task;
}

/**
 * The commands of agents: those that tool calls wait for, which are in no registry and make no commit,
 * and those in the background, which are tasks. A task is entered before its process is started, and
 * known again by its nonce: whatever ends the daemon in between, the entry and the process find each other
 * or the entry is settled.
 */
export class ShellTasks {
  readonly #foreground = new Map<string, Foreground>();
  readonly #background: BackgroundCommands;
  readonly #starts = new Starts();
  readonly #inputs = new Map<string, Promise<unknown>>();

  constructor(private readonly options: ShellTasksOptions) {
    this.#background = new BackgroundCommands({
      now: () => this.#now(),
      writeDown: (task, line) => this.#writeDown(task, line),
      diagnose: (message, details) => options.diagnose?.(message, details),
      retryMs: options.retryMs,
    });
  }

  /** Starts a command that a tool call waits for. Its files are removed by who waited. */
  async wait(wanted: WaitedCommand): Promise<{
    readonly running: RunningCommand;
    readonly foreground: ForegroundCommand;
  }> {
    const taskId = newTaskId(this.#now());
    const nonce = newNonce();
    const running = await this.#start(wanted, taskId, nonce, false);
    const { pid, outputPath, files } = running;
    const { location = '' } = this.options;
    const at = this.#now();
    const made = {
      taskId,
      nonce,
      pid,
      outputPath,
      transcriptPath: transcriptOf(files),
      location,
      at,
    };
    const task = waitedTask(wanted, made);
    const foreground = new ForegroundCommand({
      ...wanted,
      taskId,
      running,
      enter: () => this.#starts.during(taskId, () => this.#enter(wanted, task, running)),
    });
    this.#foreground.set(taskId, { command: foreground, running, task });
    void foreground.wait().then(() => this.#foreground.delete(taskId));
    return { running, foreground };
  }

  /** Starts a command that nobody waits for. What could not be started is settled, and said. */
  startInBackground(wanted: BackgroundCommand): Promise<Task> {
    const taskId = newTaskId(this.#now());
    return this.#starts.during(taskId, () => this.#startInBackground(taskId, wanted));
  }

  async #startInBackground(taskId: string, wanted: BackgroundCommand): Promise<Task> {
    const { run, timeoutMs } = wanted;
    const registry = run.taskRegistry;
    const nonce = newNonce();
    const files = this.#files(run.session.sessionId, taskId);
    const detail = {
      ...shellDetail(wanted, nonce),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    };
    const task = await registry.create(run.session.sessionId, {
      ...newShellTask(wanted, { taskId, outputPath: files.output }),
      detail,
    });
    let running: RunningCommand;
    try {
      running = await this.#start(wanted, taskId, nonce, true);
    } catch (error) {
      const end = startFailure(error);
      await registry.settle(taskId, { status: 'failed', end, isReported: true });
      throw new ToolFailure(`${taskId} could not be started: ${end.message}`);
    }
    this.#background.follow(registry, task, running, 'started');
    if (running.pid === undefined) return task;
    return registry.change(taskId, { detail: { pid: running.pid } });
  }

  /** What the registry asks for; it reports to this registry what happens to a task. */
  executor(registry: TaskRegistry): TaskExecutor {
    return {
      foreground: () => this.#waitedFor(),
      promote: (task) => this.#promote(task),
      stop: (task, by) => this.#stop(registry, task, by),
      send: (task, message) => this.#send(task, message),
      reattach: async (task) => {
        const { running } = await this.#adopt(registry, task);
        if (task.stopping) void running.stop(task.stopping.by);
      },
      read: (task, range) => readTaskOutput(this.#filesOf(task), task, range),
      forget: (task) => this.#filesOf(task).remove(),
    };
  }

  #waitedFor(): readonly Task[] {
    return [...this.#foreground.values()]
      .filter(({ command }) => command.canBePromoted)
      .map(({ task }) => task);
  }

  async #promote({ taskId }: Pick<Task, 'taskId'>): Promise<void> {
    const waiting = this.#foreground.get(taskId);
    if (!waiting) throw new StoaError('task_not_foreground', `Nobody waits for ${taskId}`);
    await waiting.command.promote();
  }

  async #stop(registry: TaskRegistry, task: Task, by: string): Promise<void> {
    const waited = this.#foreground.get(task.taskId);
    if (waited?.command.canBePromoted) {
      await waited.running.stop(by);
      return;
    }
    await this.#starts.over(task.taskId);
    const followed = this.#background.of(task.taskId) ?? (await this.#adopt(registry, task));
    await followed.running.stop(by);
    await followed.settled;
  }

  /** One after another: what two say does not mix. */
  async #send(task: Task, { text, from }: TaskMessage): Promise<void> {
    const { taskId } = task;
    await this.#starts.over(taskId);
    const { input } = this.#filesOf(task);
    const before = this.#inputs.get(taskId) ?? Promise.resolve();
    const isOver = (): boolean => this.#background.of(taskId)?.running.isOver ?? true;
    const line = text.endsWith('\n') ? text : `${text}\n`;
    const sent = before.catch(() => undefined).then(() => writeInput(input, line, isOver));
    this.#inputs.set(taskId, sent);
    const delivery = await sent.finally(() => {
      if (this.#inputs.get(taskId) === sent) this.#inputs.delete(taskId);
    });
    await this.#writeDown(task, { type: 'message', from, text, delivery: delivery.type });
    if (delivery.type === 'delivered') return;
    const why =
      delivery.type === 'closed'
        ? 'it does not read any more'
        : `it does not read: it took ${delivery.bytes} of ${delivery.of} bytes`;
    throw new StoaError('task_takes_no_message', `${taskId}: ${why}`);
  }

  /** Lets all of them go on by themselves. */
  close(): void {
    this.#background.close();
  }

  async #start(
    { command, cwd, run, takesInput = false, hasTerminal = false }: WantedCommand,
    id: string,
    nonce: string,
    isReleased: boolean,
  ): Promise<RunningCommand> {
    const { tasksDirectory, sandbox, passedVariables } = this.options;
    return startCommand({
      command,
      cwd,
      directory: join(tasksDirectory, run.session.sessionId),
      temporary: temporaryOf(tasksDirectory, run.session.sessionId),
      environment: childEnvironment(process.env, passedVariables),
      sandbox,
      id,
      kind: SHELL_KIND,
      nonce,
      isReleased,
      takesInput,
      hasTerminal,
    });
  }

  /** Makes a task of a command that was waited for. */
  async #enter(wanted: WaitedCommand, task: Task, running: RunningCommand): Promise<void> {
    const { taskId, detail, startedAt } = task;
    const entered = await wanted.run.taskRegistry.create(wanted.run.session.sessionId, {
      ...newShellTask(wanted, { taskId, outputPath: running.outputPath }),
      detail,
      startedAt,
    });
    this.#background.follow(wanted.run.taskRegistry, entered, running, 'promoted');
  }

  async #adopt(registry: TaskRegistry, task: Task): Promise<FollowedCommand> {
    const { nonce } = task.detail;
    const running = await adoptCommand(this.#filesOf(task), typeof nonce === 'string' ? nonce : '');
    return this.#background.follow(registry, task, running, 'reattached');
  }

  /** What is written down besides is for people to read; that it could not be is no failure of the task. */
  async #writeDown(task: Task, line: Readonly<Record<string, unknown>>): Promise<void> {
    const path = transcriptOf(this.#filesOf(task));
    await appendToTranscript(path, { at: this.#now(), ...line }).catch(() => undefined);
  }

  #filesOf({ startedIn, taskId }: Task): CommandFiles {
    return this.#files(startedIn, taskId);
  }

  #files(sessionId: string, taskId: string): CommandFiles {
    return new CommandFiles(join(this.options.tasksDirectory, sessionId), taskId, SHELL_KIND);
  }

  #now(): number {
    return (this.options.now ?? Date.now)();
  }
}

const transcriptOf = ({ directory, id }: CommandFiles): string =>
  join(directory, `${SHELL_KIND}-${id}.jsonl`);
