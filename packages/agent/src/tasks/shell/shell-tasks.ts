import { dirname, join } from 'node:path';
import type {
  OutputPart,
  OutputRange,
  RunContext,
  TaskExecutor,
  TaskMessage,
  Tasks,
} from '@stoa/core';
import { LIMITS, StoaError, type Task } from '@stoa/protocol';
import { plainText } from '../../envelope.js';
import { adoptCommand } from '../../tools/shell/adopted-command.js';
import { childEnvironment } from '../../tools/shell/child-environment.js';
import { newNonce, startCommand } from '../../tools/shell/command.js';
import { CommandFiles } from '../../tools/shell/command-files.js';
import { readOutputTail } from '../../tools/shell/command-output.js';
import type { RunningCommand } from '../../tools/shell/running-command.js';
import type { Sandbox } from '../../tools/shell/sandbox.js';
import { inWords, ToolFailure } from '../../tools/tool-failure.js';
import { newTaskId } from '../new-task-id.js';
import { readOutputPart } from '../output-part.js';
import { Starts } from '../starts.js';
import { appendToTranscript } from '../task-transcript.js';
import { writeInput } from './command-input.js';
import { ForegroundCommand } from './foreground-command.js';
import { BY_LOST_OUTPUT, BY_TIMEOUT, endingOf } from './settlement.js';

export interface ShellTasksOptions {
  /** Each session has a directory of its own name below it. */
  readonly tasksDirectory: string;
  readonly sandbox: Sandbox;
  /** Variables of the daemon that commands get besides the usual ones. */
  readonly passedVariables?: readonly string[] | undefined;
  /** Where tasks are entered. Without one there is only the foreground. */
  readonly registry?: (() => Pick<Tasks, 'create' | 'change' | 'settle'>) | undefined;
  /** The machine and data directory. */
  readonly place?: string;
  readonly now?: () => number;
  readonly diagnose?: (message: string, details: Readonly<Record<string, unknown>>) => void;
}

/** A command that an agent wants to run. */
export interface WantedCommand {
  readonly command: string;
  readonly description?: string | undefined;
  readonly cwd: string;
  readonly run: RunContext;
  readonly callId: string;
  readonly takesInput?: boolean;
  readonly hasTerminal?: boolean;
}

export interface WaitedCommand extends WantedCommand {
  readonly timeoutMs: number;
  readonly onTimeout: 'kill' | 'background';
  readonly signal: AbortSignal;
}

const KIND = 'shell';
/** What stands of a command in its entry; whole it is in its files. */
const COMMAND_CHARS = 4_000;
/** The longest a timer can wait. */
const MAX_TIMER_MS = 2 ** 31 - 1;

type BackgroundCommand = WantedCommand & { readonly timeoutMs?: number | undefined };

interface Live {
  readonly running: RunningCommand;
  /** Resolves when its end is in the registry. */
  readonly settled: Promise<void>;
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
export class ShellTasks implements TaskExecutor {
  readonly #foreground = new Map<string, Foreground>();
  readonly #live = new Map<string, Live>();
  readonly #starts = new Starts();
  readonly #inputs = new Map<string, Promise<unknown>>();

  constructor(private readonly options: ShellTasksOptions) {}

  /** Starts a command that a tool call waits for. Its files are removed by who waited. */
  async wait(wanted: WaitedCommand): Promise<{
    readonly running: RunningCommand;
    readonly foreground: ForegroundCommand;
  }> {
    const taskId = newTaskId(this.#now());
    const nonce = newNonce();
    const running = await this.#start(wanted, taskId, nonce, false);
    const task = this.#unentered(wanted, taskId, nonce, running);
    const foreground = new ForegroundCommand({
      ...wanted,
      taskId,
      running,
      enter: () => this.#enter(wanted, task, running),
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
    const registry = this.#registry();
    const { run, timeoutMs } = wanted;
    const nonce = newNonce();
    const files = this.#files(run.session.sessionId, taskId);
    const detail = {
      ...detailOf(wanted, nonce),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    };
    const task = await registry.create(run.session.sessionId, {
      ...this.#newTask(wanted, taskId, files.output),
      detail,
    });
    let running: RunningCommand;
    try {
      running = await this.#start(wanted, taskId, nonce, true);
    } catch (error) {
      const message = failureText(error);
      const end = { cause: 'output_failed', message };
      await registry.settle(taskId, { status: 'failed', end, isTold: true });
      throw new ToolFailure(`${taskId} could not be started: ${message}`);
    }
    this.#follow(task, running);
    if (running.pid === undefined) return task;
    return registry.change(taskId, { detail: { pid: running.pid } });
  }

  foreground(): readonly Task[] {
    return [...this.#foreground.values()]
      .filter(({ command }) => command.canBePromoted)
      .map(({ task }) => task);
  }

  async promote({ taskId }: Pick<Task, 'taskId'>): Promise<void> {
    const waiting = this.#foreground.get(taskId);
    if (!waiting) throw new StoaError('task_not_foreground', `Nobody waits for ${taskId}`);
    await waiting.command.promote();
  }

  async stop(task: Task, by: string): Promise<void> {
    const waited = this.#foreground.get(task.taskId);
    if (waited?.command.canBePromoted) {
      await waited.running.stop(by);
      return;
    }
    await this.#starts.over(task.taskId);
    const live = this.#live.get(task.taskId) ?? (await this.#adopt(task));
    await live.running.stop(by);
    await live.settled;
  }

  /** One after another: what two say does not mix. */
  async send(task: Task, { text, from }: TaskMessage): Promise<void> {
    const { input } = this.#files(task.startedIn, task.taskId);
    const before = this.#inputs.get(task.taskId) ?? Promise.resolve();
    const isOver = (): boolean => this.#live.get(task.taskId)?.running.isOver ?? true;
    const line = text.endsWith('\n') ? text : `${text}\n`;
    const sent = before.catch(() => undefined).then(() => writeInput(input, line, isOver));
    this.#inputs.set(task.taskId, sent);
    const delivery = await sent;
    await this.#writeDown(task, { type: 'message', from, text, delivery: delivery.type });
    if (delivery.type === 'delivered') return;
    const why =
      delivery.type === 'closed'
        ? 'it does not read any more'
        : `it does not read: it took ${delivery.bytes} of ${delivery.of} bytes`;
    throw new StoaError('task_takes_no_message', `${task.taskId}: ${why}`);
  }

  async reattach(task: Task): Promise<void> {
    const { running } = await this.#adopt(task);
    if (task.stopping) void running.stop(task.stopping.by);
  }

  read(task: Task, range: OutputRange): Promise<OutputPart> {
    const { output } = this.#files(task.startedIn, task.taskId);
    return readOutputPart(output, range, task.end !== undefined);
  }

  async forget(task: Task): Promise<void> {
    await this.#files(task.startedIn, task.taskId).remove();
  }

  /** Lets all of them go on by themselves. */
  close(): void {
    for (const { running } of this.#live.values()) running.leave();
    this.#live.clear();
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
      environment: childEnvironment(process.env, passedVariables),
      sandbox,
      id,
      kind: KIND,
      nonce,
      isReleased,
      takesInput,
      hasTerminal,
    });
  }

  /** Makes a task of a command that was waited for. */
  async #enter(wanted: WaitedCommand, task: Task, running: RunningCommand): Promise<void> {
    const entered = await this.#registry().create(wanted.run.session.sessionId, {
      ...this.#newTask(wanted, task.taskId, running.outputPath),
      detail: task.detail,
      startedAt: task.startedAt,
    });
    this.#follow(entered, running, { type: 'promoted' });
  }

  async #adopt(task: Task): Promise<Live> {
    const { nonce } = task.detail;
    const files = this.#files(task.startedIn, task.taskId);
    const running = await adoptCommand(files, typeof nonce === 'string' ? nonce : '');
    return this.#follow(task, running, { type: 'reattached' });
  }

  /** Looks after a task until its end is in the registry. */
  #follow(
    task: Task,
    running: RunningCommand,
    first: Readonly<Record<string, unknown>> = { type: 'started' },
  ): Live {
    void this.#writeDown(task, { ...first, command: task.detail['command'], pid: running.pid });
    void running.outputLost.then(() => running.stop(BY_LOST_OUTPUT));
    const timer = this.#deadline(task, running);
    const settled = this.#settle(task, running).finally(() => {
      clearTimeout(timer);
      this.#live.delete(task.taskId);
      this.#inputs.delete(task.taskId);
    });
    const live = { running, settled };
    this.#live.set(task.taskId, live);
    return live;
  }

  async #settle(task: Task, running: RunningCommand): Promise<void> {
    const end = await running.wait();
    const tail = plainText(await readOutputTail(running.outputPath, LIMITS.taskTailChars));
    const ending = endingOf(end);
    await this.#writeDown(task, { type: 'ended', ...ending });
    try {
      await this.#registry().settle(task.taskId, { ...ending, tail });
    } catch (error) {
      this.options.diagnose?.('the end of a command could not be entered', {
        taskId: task.taskId,
        error,
      });
    }
  }

  #deadline(task: Task, running: RunningCommand): NodeJS.Timeout | undefined {
    const { timeoutMs } = task.detail;
    if (typeof timeoutMs !== 'number' || task.startedAt === undefined) return undefined;
    const rest = Math.max(0, task.startedAt + timeoutMs - this.#now());
    const timer = setTimeout(() => void running.stop(BY_TIMEOUT), Math.min(rest, MAX_TIMER_MS));
    return timer.unref();
  }

  #newTask({ command, description, run, callId }: WantedCommand, taskId: string, output: string) {
    return {
      taskId,
      kind: KIND,
      description: description ?? command,
      runId: run.runId,
      callId,
      origin: run.origin,
      outputPath: output,
    };
  }

  /** What a list shows of a command that is waited for. */
  #unentered(wanted: WantedCommand, taskId: string, nonce: string, running: RunningCommand): Task {
    const { sessionId, responsibleId } = wanted.run.session;
    const at = this.#now();
    const { description, ...known } = this.#newTask(wanted, taskId, running.outputPath);
    const pid = running.pid === undefined ? {} : { pid: running.pid };
    return {
      ...known,
      description: description.replace(/\s+/g, ' ').slice(0, LIMITS.titleChars).toWellFormed(),
      sessionId,
      startedIn: sessionId,
      responsibleId,
      status: 'running',
      isForeground: true,
      createdAt: at,
      startedAt: at,
      updatedAt: at,
      notice: 'none',
      place: this.options.place ?? '',
      transcriptPath: transcriptOf(running.files),
      detail: { ...detailOf(wanted, nonce), ...pid },
      pendingApprovals: 0,
    };
  }

  /** What is written down besides is for people to read; that it could not be is no failure of the task. */
  async #writeDown(task: Task, line: Readonly<Record<string, unknown>>): Promise<void> {
    const path = transcriptOf(this.#files(task.startedIn, task.taskId));
    await appendToTranscript(path, { at: this.#now(), ...line }).catch(() => undefined);
  }

  #files(sessionId: string, taskId: string): CommandFiles {
    return new CommandFiles(join(this.options.tasksDirectory, sessionId), taskId, KIND);
  }

  #registry(): Pick<Tasks, 'create' | 'change' | 'settle'> {
    const registry = this.options.registry?.();
    if (!registry) throw new ToolFailure('There are no background tasks here');
    return registry;
  }

  #now(): number {
    return (this.options.now ?? Date.now)();
  }
}

function detailOf(
  { command, cwd, takesInput = false, hasTerminal = false }: WantedCommand,
  nonce: string,
) {
  const shown =
    command.length <= COMMAND_CHARS
      ? command
      : `${command.slice(0, COMMAND_CHARS).toWellFormed()}…`;
  return { command: shown, cwd, nonce, stdin: takesInput, ...(hasTerminal ? { pty: true } : {}) };
}

const transcriptOf = ({ directory, id }: CommandFiles): string =>
  join(directory, `${KIND}-${id}.jsonl`);

/** What kept its files from being made. */
function failureText(error: unknown): string {
  const { path = '' } = error as NodeJS.ErrnoException;
  try {
    return inWords(error, `its files in ${dirname(path)} cannot be made`).message;
  } catch {
    return String(error);
  }
}
