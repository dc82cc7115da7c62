import type { RunContext, TaskExecutor, TaskMessage, TaskRegistry } from '@stoa/core';
import { LIMITS, StoaError, type Task } from '@stoa/protocol';
import { shorten } from '../../tools/cut-text.js';
import { newNonce } from '../../tools/shell/command.js';
import type { RunningCommand } from '../../tools/shell/running-command.js';
import { readTaskOutput } from '../output-part.js';
import { newTaskId, TaskCommands, type TaskCommandsOptions } from '../task-commands.js';
import { BackgroundCommands, type FollowedCommand } from './background-commands.js';
import { writeInput } from './command-input.js';
import { ForegroundCommand } from './foreground-command.js';

export interface ShellTasksOptions extends TaskCommandsOptions {
  /** The machine and data directory. */
  readonly location?: string;
  readonly diagnose?: (message: string, details: Readonly<Record<string, unknown>>) => void;
  /** How long to wait before the end of a task is recorded again after a failure. */
  readonly retryMs?: number | undefined;
}

interface ShellCommand {
  readonly command: string;
  readonly description?: string | undefined;
  readonly cwd: string;
  readonly run: RunContext;
  readonly callId: string;
  readonly takesInput?: boolean;
  readonly hasTerminal?: boolean;
}

interface WaitedCommand extends ShellCommand {
  readonly timeoutMs: number;
  readonly onTimeout: 'kill' | 'background';
  readonly signal: AbortSignal;
}

interface Foreground {
  readonly command: ForegroundCommand;
  readonly running: RunningCommand;
  readonly task: Task;
}

const SHELL_KIND = 'shell';
/** The part of a command that its task shows. Its files contain the complete command. */
const COMMAND_CHARS = 4_000;

/**
 * The shell commands of agents: those in the foreground, which a tool call waits for and which are neither stored
 * nor committed, and those in the background, which are tasks.
 */
export class ShellTasks {
  readonly #foreground = new Map<string, Foreground>();
  readonly #commands: TaskCommands;
  readonly #background: BackgroundCommands;
  readonly #inputs = new Map<string, Promise<unknown>>();

  constructor(private readonly options: ShellTasksOptions) {
    this.#commands = new TaskCommands(SHELL_KIND, options);
    this.#background = new BackgroundCommands(this.#commands, options);
  }

  /** Starts a command that a tool call waits for. The caller removes its files. */
  async wait(wanted: WaitedCommand): Promise<{
    readonly running: RunningCommand;
    readonly foreground: ForegroundCommand;
  }> {
    const { command, cwd, run, hasTerminal = false } = wanted;
    const taskId = newTaskId();
    const nonce = newNonce();
    const request = { command, cwd, taskId, nonce, hasTerminal };
    const running = await this.#commands.start(run.session.sessionId, request, false);
    const task = this.#foregroundTask(wanted, taskId, running);
    const foreground = new ForegroundCommand({
      ...wanted,
      taskId,
      running,
      promote: () =>
        this.#commands.starts.track(taskId, () => this.#storePromoted(wanted, task, running)),
    });
    this.#foreground.set(taskId, { command: foreground, running, task });
    void foreground.wait().then(() => this.#foreground.delete(taskId));
    return { running, foreground };
  }

  /** Starts a command that nobody waits for. If it cannot be started, its task has failed. */
  startInBackground(
    wanted: ShellCommand & { readonly timeoutMs?: number | undefined },
  ): Promise<Task> {
    const taskId = newTaskId();
    const { run, callId, command, timeoutMs, cwd } = wanted;
    const { takesInput = false, hasTerminal = false, description = command } = wanted;
    const nonce = newNonce();
    return this.#commands.starts.track(taskId, async () => {
      const detail = {
        ...shellDetail(wanted, nonce),
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
      };
      const request = { command, cwd, taskId, nonce, takesInput, hasTerminal };
      const wantedTask = { description, detail, callId };
      const { task, running } = await this.#commands.startTask(run, wantedTask, request);
      this.#background.follow(run.taskRegistry, task, running, 'started');
      if (running.pid === undefined) return task;
      return run.taskRegistry.change(taskId, { detail: { pid: running.pid } });
    });
  }

  /** The executor for a registry, to which it reports the ends of tasks. */
  executor(registry: TaskRegistry): TaskExecutor {
    return {
      foreground: () => this.#promotable(),
      promote: (task) => this.#promote(task),
      stop: (task, by) => this.#stop(registry, task, by),
      send: (task, message) => this.#send(task, message),
      reattach: async (task) => {
        const { running } = await this.#adopt(registry, task);
        if (task.stopping) void running.stop(task.stopping.by);
      },
      read: (task, range) => readTaskOutput(this.#commands.files(task), task, range),
      forget: (task) => this.#commands.files(task).remove(),
    };
  }

  /** Stops following all commands, which continue. */
  close(): void {
    this.#background.close();
  }

  #promotable(): readonly Task[] {
    return [...this.#foreground.values()]
      .filter(({ command }) => command.canBePromoted)
      .map(({ task }) => task);
  }

  async #promote({ taskId }: Pick<Task, 'taskId'>): Promise<void> {
    const waiting = this.#foreground.get(taskId);
    if (!waiting) {
      throw new StoaError('task_not_foreground', `${taskId} is not in the foreground`);
    }
    await waiting.command.promote();
  }

  async #stop(registry: TaskRegistry, task: Task, by: string): Promise<void> {
    const foreground = this.#foreground.get(task.taskId);
    if (foreground?.command.canBePromoted) {
      await foreground.running.stop(by);
      return;
    }
    await this.#commands.starts.finished(task.taskId);
    const followed = this.#background.of(task.taskId) ?? (await this.#adopt(registry, task));
    await followed.running.stop(by);
    await followed.settled;
  }

  /** Sends messages one after another, so that they do not mix. */
  async #send(task: Task, { text, from }: TaskMessage): Promise<void> {
    const { taskId } = task;
    await this.#commands.starts.finished(taskId);
    const { input } = this.#commands.files(task);
    const before = this.#inputs.get(taskId) ?? Promise.resolve();
    const isOver = (): boolean => this.#background.of(taskId)?.running.isOver ?? true;
    const line = text.endsWith('\n') ? text : `${text}\n`;
    const sent = before.catch(() => undefined).then(() => writeInput(input, line, isOver));
    this.#inputs.set(taskId, sent);
    const delivery = await sent.finally(() => {
      if (this.#inputs.get(taskId) === sent) this.#inputs.delete(taskId);
    });
    await this.#commands.record(task, { type: 'message', from, text, delivery: delivery.type });
    if (delivery.type === 'delivered') return;
    const why =
      delivery.type === 'closed'
        ? 'it no longer reads its input'
        : `it does not read its input: it accepted ${delivery.bytes} of ${delivery.of} bytes`;
    throw new StoaError('task_takes_no_message', `${taskId}: ${why}`);
  }

  /** Stores a task for a command that was in the foreground. */
  async #storePromoted(wanted: WaitedCommand, task: Task, running: RunningCommand): Promise<void> {
    const { run, callId, command, description = command } = wanted;
    const { taskId, detail, startedAt, outputPath } = task;
    const { runId, origin, session, taskRegistry } = run;
    const made = { taskId, kind: SHELL_KIND, description, detail, startedAt, outputPath };
    const stored = await taskRegistry.create(session.sessionId, { ...made, runId, callId, origin });
    this.#background.follow(taskRegistry, stored, running, 'promoted');
  }

  async #adopt(registry: TaskRegistry, task: Task): Promise<FollowedCommand> {
    return this.#background.follow(registry, task, await this.#commands.adopt(task), 'reattached');
  }

  /** What lists show for a command in the foreground, which is not stored. */
  #foregroundTask(wanted: ShellCommand, taskId: string, running: RunningCommand): Task {
    const { run, callId, command, description = command } = wanted;
    const { sessionId, responsibleId } = run.session;
    const { pid, nonce, files } = running;
    const at = Date.now();
    return {
      taskId,
      kind: SHELL_KIND,
      description: description.replace(/\s+/g, ' ').slice(0, LIMITS.titleChars).toWellFormed(),
      runId: run.runId,
      callId,
      origin: run.origin,
      sessionId,
      startedIn: sessionId,
      responsibleId,
      status: 'running',
      isForeground: true,
      createdAt: at,
      startedAt: at,
      updatedAt: at,
      notice: 'none',
      location: this.options.location ?? '',
      outputPath: files.output,
      transcriptPath: files.transcript,
      detail: { ...shellDetail(wanted, nonce), ...(pid === undefined ? {} : { pid }) },
      pendingApprovals: 0,
    };
  }
}

function shellDetail(
  { command, cwd, takesInput = false, hasTerminal = false }: ShellCommand,
  nonce: string,
) {
  const shown = shorten(command, COMMAND_CHARS);
  return { command: shown, cwd, nonce, stdin: takesInput, ...(hasTerminal ? { pty: true } : {}) };
}
