import type { Settlement, TaskRegistry } from '@stoa/core';
import { LIMITS, StoaError, type Task } from '@stoa/protocol';
import { plainText } from '../../envelope.js';
import { readOutputTail } from '../../tools/shell/command-output.js';
import { Deferred, within } from '../../tools/shell/deferred.js';
import type { RunningCommand } from '../../tools/shell/running-command.js';
import type { TaskCommands } from '../task-commands.js';
import { BY_LOST_OUTPUT, BY_TIMEOUT, endingOf } from './settlement.js';

/** The maximum delay of a timer. */
const MAX_TIMER_MS = 2 ** 31 - 1;
const RETRY_MS = 1_000;

interface BackgroundCommandsOptions {
  readonly diagnose?: (message: string, details: Readonly<Record<string, unknown>>) => void;
  readonly retryMs?: number | undefined;
}

export interface FollowedCommand {
  readonly running: RunningCommand;
  /** Resolves when its end is stored. Does not reject. */
  readonly settled: Promise<void>;
}

/** Follows the commands in the background until their ends are stored. */
export class BackgroundCommands {
  readonly #followed = new Map<string, FollowedCommand>();
  readonly #closing = new Deferred<void>();
  #isClosed = false;

  constructor(
    private readonly commands: TaskCommands,
    private readonly options: BackgroundCommandsOptions,
  ) {}

  of(taskId: string): FollowedCommand | undefined {
    return this.#followed.get(taskId);
  }

  follow(
    registry: TaskRegistry,
    task: Task,
    running: RunningCommand,
    since: 'started' | 'promoted' | 'reattached',
  ): FollowedCommand {
    const { command } = task.detail;
    const recorded = this.commands.record(task, { type: since, command, pid: running.pid });
    void running.outputLost.then(() => running.stop(BY_LOST_OUTPUT));
    const timer = this.#deadline(task, running);
    const settled = this.#settle(registry, task, running, recorded).finally(() => {
      clearTimeout(timer);
      this.#followed.delete(task.taskId);
    });
    const followed = { running, settled };
    this.#followed.set(task.taskId, followed);
    return followed;
  }

  /** Stops following the commands, which continue. The next daemon reads their ends from their files. */
  close(): void {
    this.#isClosed = true;
    this.#closing.resolve();
    for (const { running } of this.#followed.values()) running.leave();
    this.#followed.clear();
  }

  async #settle(
    registry: TaskRegistry,
    task: Task,
    running: RunningCommand,
    recorded: Promise<void>,
  ): Promise<void> {
    const end = await running.wait();
    const tail = plainText(await readOutputTail(running.outputPath, LIMITS.taskTailChars));
    const ending = endingOf(end);
    // Keeps the lines of the transcript in order.
    await recorded;
    await this.commands.record(task, { type: 'ended', ...ending });
    // Until this succeeds, the task is shown as running.
    while (!this.#isClosed && !(await this.#storeEnd(registry, task.taskId, { ...ending, tail }))) {
      await within(this.options.retryMs ?? RETRY_MS, this.#closing.promise);
    }
  }

  /** False if it should be tried again. */
  async #storeEnd(registry: TaskRegistry, taskId: string, end: Settlement): Promise<boolean> {
    try {
      await registry.settle(taskId, end);
      return true;
    } catch (error) {
      const message = 'the end of a command could not be stored';
      this.options.diagnose?.(message, { taskId, error });
      return error instanceof StoaError && error.code === 'task_not_found';
    }
  }

  #deadline(task: Task, running: RunningCommand): NodeJS.Timeout | undefined {
    const { timeoutMs } = task.detail;
    if (typeof timeoutMs !== 'number' || task.startedAt === undefined) return undefined;
    const rest = Math.max(0, task.startedAt + timeoutMs - Date.now());
    const timer = setTimeout(() => void running.stop(BY_TIMEOUT), Math.min(rest, MAX_TIMER_MS));
    return timer.unref();
  }
}
