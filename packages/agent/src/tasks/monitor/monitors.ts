import { readFile } from 'node:fs/promises';
import { constants } from 'node:os';
import {
  DEFAULT_EVENTS,
  DEFAULT_IDLE_MS,
  type RunContext,
  type TaskExecutor,
  type TaskRegistry,
  WATCH_START,
  type WatchRules,
} from '@stoa/core';
import { StoaError, type Task } from '@stoa/protocol';
import { z } from 'zod';
import { newNonce } from '../../tools/shell/command.js';
import { lastPrinted, type PrintedBefore } from '../../tools/shell/output-range.js';
import { findProcesses, MARK, signal } from '../../tools/shell/process-tree.js';
import type { RunningCommand } from '../../tools/shell/running-command.js';
import { readTaskOutput } from '../output-part.js';
import { newTaskId, TaskCommands, type TaskCommandsOptions } from '../task-commands.js';
import { type MonitorPorts, RunningMonitor } from './running-monitor.js';

export const MessageSignal = z.enum(['SIGUSR1', 'SIGUSR2', 'SIGHUP']);
type MessageSignal = z.infer<typeof MessageSignal>;

const count = z.int().min(0).default(0);

/** The detail of a monitor's task: how it was started, and its progress at the last update. */
const MonitorDetail = z.looseObject({
  command: z.string(),
  nonce: z.string().default(''),
  maxEvents: z.int().min(1).default(DEFAULT_EVENTS),
  idleMs: z.int().min(1).default(DEFAULT_IDLE_MS),
  include: z.string().optional(),
  exclude: z.string().optional(),
  /** Messages to the monitor are sent as this signal. */
  messageSignal: MessageSignal.optional(),
  offset: count,
  isInRest: z.boolean().default(false),
  events: count,
  dropped: count,
  missedBytes: count,
});

export interface MonitorsOptions extends TaskCommandsOptions, MonitorPorts {
  /** The clock of files and tasks. `now` is monotonic: it does not count the time in which the computer sleeps. */
  readonly wallClock: () => number;
}

interface WantedMonitor extends WatchRules {
  readonly run: RunContext;
  readonly callId: string;
  readonly workspace: string;
  readonly command: string;
  readonly description: string;
  readonly messageSignal?: MessageSignal | undefined;
}

/**
 * Commands whose output lines are sent to a session. They continue without the daemon, and their output is read
 * from its file.
 */
export class Monitors {
  readonly #running = new Map<string, RunningMonitor>();
  readonly #commands: TaskCommands;
  #isClosed = false;

  constructor(private readonly options: MonitorsOptions) {
    this.#commands = new TaskCommands('monitor', options);
  }

  /** Throws `too_many_tasks` before the command is started. */
  watch(wanted: WantedMonitor): Promise<Task> {
    const { run, callId, workspace, command, description, maxEvents, idleMs } = wanted;
    const { include, exclude, messageSignal } = wanted;
    const taskId = newTaskId();
    const nonce = newNonce();
    const detail = {
      ...{ command, cwd: workspace, nonce, maxEvents, idleMs },
      ...(include === undefined ? {} : { include }),
      ...(exclude === undefined ? {} : { exclude }),
      ...(messageSignal === undefined ? {} : { messageSignal }),
      ...WATCH_START,
    };
    return this.#commands.starts.track(taskId, async () => {
      const request = { command, cwd: workspace, taskId, nonce };
      const started = { description, detail, callId };
      const { task, running } = await this.#commands.startTask(run, started, request);
      void this.#commands.record(task, { type: 'started', command });
      this.#follow(run.taskRegistry, task, running);
      return task;
    });
  }

  /** The executor for a registry, to which it reports updates and ends. */
  executor(registry: TaskRegistry): TaskExecutor {
    return {
      stop: async (task, by) => {
        await this.#commands.starts.finished(task.taskId);
        const known = this.#running.get(task.taskId);
        await (known ?? (await this.#adopt(registry, task))).stop(by);
      },
      send: (task) => sendSignal(task),
      reattach: async (task) => {
        await this.#adopt(registry, task);
      },
      read: (task, range) => readTaskOutput(this.#commands.files(task), task, range),
      forget: (task) => this.#commands.files(task).remove(),
    };
  }

  /** Stops following all monitors. Their commands continue, and the next daemon adopts them. */
  close(): void {
    this.#isClosed = true;
    for (const monitor of this.#running.values()) monitor.leave();
  }

  async #adopt(registry: TaskRegistry, task: Task): Promise<RunningMonitor> {
    void this.#commands.record(task, { type: 'reattached' });
    const command = await this.#commands.adopt(task);
    return this.#follow(registry, task, command, await this.#printedBefore(task));
  }

  /** Undefined if its command has ended: then only that end counts, not how long it was silent. */
  async #printedBefore(task: Task): Promise<PrintedBefore | undefined> {
    const { startedAt = Number.POSITIVE_INFINITY } = task;
    const files = this.#commands.files(task);
    const { nonce } = MonitorDetail.parse(task.detail);
    if ((await files.state(nonce)).type !== 'running') return undefined;
    const { size, at } = (await lastPrinted(files.output)) ?? { size: 0, at: startedAt };
    const silentMs = Math.max(0, this.options.wallClock() - at);
    return { size, at: this.options.now() - silentMs };
  }

  #follow(
    registry: TaskRegistry,
    task: Task,
    command: RunningCommand,
    before?: PrintedBefore,
  ): RunningMonitor {
    const { taskId, detail } = task;
    const known = this.#running.get(taskId);
    if (known) {
      command.leave();
      return known;
    }
    const { maxEvents, idleMs, include, exclude, ...rest } = MonitorDetail.parse(detail);
    const { offset, isInRest, events, dropped, missedBytes } = rest;
    const monitor = new RunningMonitor(
      this.options,
      {
        taskId,
        send: (text, progress) => registry.sendUpdate(taskId, text, { ...progress }),
        settle: async (ending, progress) => {
          await this.#commands.record(task, { type: 'ended', ...ending, ...progress });
          await registry.settle(taskId, { ...ending, detail: { ...progress } });
        },
      },
      command,
      { maxEvents, idleMs, include, exclude },
      { offset, isInRest, events, dropped, missedBytes },
      before,
    );
    this.#running.set(taskId, monitor);
    if (this.#isClosed) monitor.leave();
    void monitor.done.finally(() => this.#running.delete(taskId));
    return monitor;
  }
}

/** A message to a monitor is a signal to those of its processes that handle it. Its text is not sent. */
async function sendSignal({ taskId, detail }: Task): Promise<void> {
  const { nonce, messageSignal } = MonitorDetail.parse(detail);
  if (messageSignal === undefined) {
    throw new StoaError('task_takes_no_message', `${taskId} was started without a signal`);
  }
  const found = await findProcesses({ leader: undefined, marker: `${MARK}=${nonce}` });
  let isSent = false;
  for (const { pid, isMarked } of found ?? []) {
    if (!isMarked || !(await handles(pid, messageSignal))) continue;
    signal(pid, messageSignal);
    isSent = true;
  }
  if (isSent) return;
  throw new StoaError('task_takes_no_message', `No process of ${taskId} handles ${messageSignal}`);
}

/** Without a handler, the signal would end the process or be ignored. */
async function handles(pid: number, name: MessageSignal): Promise<boolean> {
  try {
    const status = await readFile(`/proc/${pid}/status`, 'latin1');
    const caught = /^SigCgt:\s*([0-9a-f]+)$/m.exec(status)?.[1];
    if (caught === undefined) return false;
    return ((BigInt(`0x${caught}`) >> BigInt(constants.signals[name] - 1)) & 1n) === 1n;
  } catch {
    return false;
  }
}
