import { randomBytes } from 'node:crypto';
import { constants, promises as fs } from 'node:fs';
import { dirname, join } from 'node:path';
import type { NewTask, RunContext } from '@stoa/core';
import type { Task } from '@stoa/protocol';
import { adoptCommand } from '../tools/shell/adopted-command.js';
import { childEnvironment } from '../tools/shell/child-environment.js';
import { type CommandRequest, startCommand, temporaryOf } from '../tools/shell/command.js';
import { CommandFiles } from '../tools/shell/command-files.js';
import { CommandNotStarted, type RunningCommand } from '../tools/shell/running-command.js';
import type { Sandbox } from '../tools/shell/sandbox.js';
import { ToolFailure, toToolFailure } from '../tools/tool-failure.js';

export interface TaskCommandsOptions {
  /** Contains a directory for each session. */
  readonly tasksDirectory: string;
  readonly sandbox: Sandbox;
  /** Further variables of the daemon that commands get. */
  readonly passedVariables?: readonly string[] | undefined;
}

type TaskCommand = Pick<CommandRequest, 'command' | 'cwd' | 'takesInput' | 'hasTerminal'> & {
  readonly taskId: string;
  readonly nonce: string;
};

/**
 * The commands of one kind of background task, with their files and transcripts. A task is stored before its
 * process starts, so that no process runs without a task. The nonce connects the two after a crash.
 */
export class TaskCommands {
  readonly starts = new PendingStarts();

  constructor(
    private readonly kind: string,
    private readonly options: TaskCommandsOptions,
  ) {}

  files({ startedIn, taskId }: Pick<Task, 'startedIn' | 'taskId'>): CommandFiles {
    return new CommandFiles(join(this.options.tasksDirectory, startedIn), taskId, this.kind);
  }

  start(sessionId: string, command: TaskCommand, isReleased: boolean): Promise<RunningCommand> {
    const { tasksDirectory, sandbox, passedVariables } = this.options;
    const { taskId, ...request } = command;
    return startCommand({
      ...request,
      id: taskId,
      kind: this.kind,
      directory: join(tasksDirectory, sessionId),
      temporary: temporaryOf(tasksDirectory, sessionId),
      environment: childEnvironment(process.env, passedVariables),
      sandbox,
      isReleased,
    });
  }

  /** Stores a task and starts its command. If that fails, the task ends as failed and a ToolFailure is thrown. */
  async startTask(
    { session, taskRegistry, runId, origin }: RunContext,
    task: Pick<NewTask, 'description' | 'detail' | 'callId'>,
    command: TaskCommand,
  ): Promise<{ readonly task: Task; readonly running: RunningCommand }> {
    const { sessionId } = session;
    const { taskId } = command;
    const { kind } = this;
    const outputPath = this.files({ startedIn: sessionId, taskId }).output;
    const created = { ...task, taskId, kind, outputPath, runId, origin };
    const stored = await taskRegistry.create(sessionId, created);
    try {
      return { task: stored, running: await this.start(sessionId, command, true) };
    } catch (error) {
      const end = startFailure(error);
      // The caller learns of the failure from this call.
      await taskRegistry.settle(taskId, { status: 'failed', end, isReported: true });
      throw new ToolFailure(`${taskId} could not be started: ${end.message}`);
    }
  }

  adopt(task: Task): Promise<RunningCommand> {
    const { nonce } = task.detail;
    return adoptCommand(this.files(task), typeof nonce === 'string' ? nonce : '');
  }

  /** Appends a line to the transcript of a task, for people to read. Failures are ignored. */
  async record(task: Task, line: Readonly<Record<string, unknown>>): Promise<void> {
    const { transcript } = this.files(task);
    await appendLine(transcript, { at: Date.now(), ...line }).catch(() => undefined);
  }
}

/** Tasks whose commands are being started. A caller that stops such a task waits until it was started. */
export class PendingStarts {
  readonly #pending = new Map<string, Promise<unknown>>();

  async track<T>(taskId: string, start: () => Promise<T>): Promise<T> {
    const started = start();
    this.#pending.set(taskId, started);
    try {
      return await started;
    } finally {
      this.#pending.delete(taskId);
    }
  }

  /** Resolves when the task was started, or could not be. */
  async finished(taskId: string): Promise<void> {
    await this.#pending.get(taskId)?.catch(() => undefined);
  }
}

function startFailure(error: unknown): {
  readonly cause: 'spawn_failed' | 'output_failed';
  readonly message: string;
} {
  if (error instanceof CommandNotStarted) return { cause: 'spawn_failed', message: error.message };
  const { path = '' } = error as NodeJS.ErrnoException;
  try {
    const { message } = toToolFailure(error, `its files in ${dirname(path)} cannot be created`);
    return { cause: 'output_failed', message };
  } catch {
    return { cause: 'output_failed', message: String(error) };
  }
}

const APPEND =
  constants.O_WRONLY |
  constants.O_CREAT |
  constants.O_APPEND |
  constants.O_NOFOLLOW |
  constants.O_NONBLOCK;

/** Rejects if the path is a link or anything else that is not a regular file. */
async function appendLine(path: string, line: Readonly<Record<string, unknown>>): Promise<void> {
  await fs.mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const file = await fs.open(path, APPEND, 0o600);
  try {
    if (!(await file.stat()).isFile()) throw new Error(`${path} is not a file`);
    await file.write(`${JSON.stringify(line)}\n`);
  } finally {
    await file.close();
  }
}

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** An id for a task that is not stored yet: time and randomness, like all ids. */
export function newTaskId(): string {
  let time = '';
  for (let rest = Date.now(); time.length < 10; rest = Math.floor(rest / 32)) {
    time = (ALPHABET[rest % 32] ?? '') + time;
  }
  const random = [...randomBytes(16)].map((byte) => ALPHABET[byte & 31]).join('');
  return `tsk_${time}${random}`;
}
