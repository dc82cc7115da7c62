import type { Settlement, TaskRegistry } from '@stoa/core';
import { LIMITS, StoaError, type Task } from '@stoa/protocol';
import { plainText } from '../../envelope.js';
import { readOutputTail } from '../../tools/shell/command-output.js';
import { Deferred, within } from '../../tools/shell/deferred.js';
import type { RunningCommand } from '../../tools/shell/running-command.js';
import { BY_LOST_OUTPUT, BY_TIMEOUT, endingOf } from './settlement.js';

/** The longest a timer can wait. */
const MAX_TIMER_MS = 2 ** 31 - 1;
const RETRY_MS = 1_000;

export interface BackgroundCommandsPorts {
  readonly now: () => number;
  /** Does not reject: what is written down besides is for people to read. */
  readonly writeDown: (task: Task, line: Readonly<Record<string, unknown>>) => Promise<void>;
  readonly diagnose: (message: string, details: Readonly<Record<string, unknown>>) => void;
  readonly retryMs?: number | undefined;
}

/** A task whose command this daemon looks after. */
export interface FollowedCommand {
  readonly running: RunningCommand;
  /** Resolves when its end is in the registry. Does not reject. */
  readonly settled: Promise<void>;
}

/** The commands in the background, each looked after until its end is in the registry. */
export class BackgroundCommands {
  readonly #followed = new Map<string, FollowedCommand>();
  readonly #closing = new Deferred<void>();
  #isClosed = false;

  constructor(private readonly ports: BackgroundCommandsPorts) {}

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
    const begun = this.ports.writeDown(task, { type: since, command, pid: running.pid });
    void running.outputLost.then(() => running.stop(BY_LOST_OUTPUT));
    const timer = this.#deadline(task, running);
    const settled = this.#settle(registry, task, running, begun).finally(() => {
      clearTimeout(timer);
      this.#followed.delete(task.taskId);
    });
    const followed = { running, settled };
    this.#followed.set(task.taskId, followed);
    return followed;
  }

  /** Lets all of them go on by themselves; who comes next finds what became of them in their files. */
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
    begun: Promise<void>,
  ): Promise<void> {
    const end = await running.wait();
    const tail = plainText(await readOutputTail(running.outputPath, LIMITS.taskTailChars));
    const ending = endingOf(end);
    // The transcript has its lines in their order.
    await begun;
    await this.ports.writeDown(task, { type: 'ended', ...ending });
    // An entry that is not settled says that something runs which does not.
    while (!this.#isClosed && !(await this.#enterEnd(registry, task.taskId, { ...ending, tail }))) {
      await within(this.ports.retryMs ?? RETRY_MS, this.#closing.promise);
    }
  }

  /** False: it can be tried again. */
  async #enterEnd(registry: TaskRegistry, taskId: string, end: Settlement): Promise<boolean> {
    try {
      await registry.settle(taskId, end);
      return true;
    } catch (error) {
      const message = 'the end of a command could not be entered';
      this.ports.diagnose(message, { taskId, error });
      return error instanceof StoaError && error.code === 'task_not_found';
    }
  }

  #deadline(task: Task, running: RunningCommand): NodeJS.Timeout | undefined {
    const { timeoutMs } = task.detail;
    if (typeof timeoutMs !== 'number' || task.startedAt === undefined) return undefined;
    const rest = Math.max(0, task.startedAt + timeoutMs - this.ports.now());
    const timer = setTimeout(() => void running.stop(BY_TIMEOUT), Math.min(rest, MAX_TIMER_MS));
    return timer.unref();
  }
}
