import {
  monitorUpdateText,
  type Timers,
  Watch,
  type WatchProgress,
  type WatchRules,
} from '@stoa/core';
import { StoaError } from '@stoa/protocol';
import { OutputReader, type PrintedBefore } from '../../tools/shell/output-range.js';
import type { CommandEnd, RunningCommand } from '../../tools/shell/running-command.js';
import { type Ending, endingOf } from '../shell/settlement.js';

/** How the task of a monitor is changed. */
interface MonitorTask {
  readonly taskId: string;
  /** Sends an update and stores the progress in one commit. False if the inbox has no room for it. */
  send(text: string, progress: WatchProgress): Promise<boolean>;
  settle(ending: Ending, progress: WatchProgress): Promise<void>;
}

export interface MonitorPorts {
  /** Milliseconds; may jump. */
  readonly now: () => number;
  readonly timers: Timers;
  readonly diagnose: (message: string, details: Readonly<Record<string, unknown>>) => void;
}

const POLL_MS = 200;
const RETRY_MS = 1_000;
const READ_BYTES = 4_096;
/** Limits for one poll: a command may print endlessly, and its filter may be slow. */
const READS_PER_POLL = 256;
const MAX_POLL_MS = 4;
/** The pause after a poll is at least this many times as long as the poll blocked the thread. */
const PAUSE_FACTOR = 16;

/** Why a monitor ends before its command. */
type StopReason = 'max_events' | 'idle' | 'output_failed';

type WatchedCommand = Pick<RunningCommand, 'outputPath' | 'outputLost' | 'wait' | 'stop' | 'leave'>;

/**
 * Polls the output of a command, sends new lines to the session, and settles the task.
 *
 *   running ── the command has ended      → the rest is read and sent; settled by its exit
 *           ── all events sent, or idle   → the command is stopped; completed. If an idle command turns out to
 *                                           have ended, it is settled by its exit instead
 *           ── its output cannot be kept  → the command is stopped; failed
 *           ── stopped                    → nothing more is sent; cancelled when its processes are gone
 *           ── left, as the daemon ends   → the next daemon continues from the stored progress
 */
export class RunningMonitor {
  /** Resolves when the task is settled or the monitor was left. */
  readonly done: Promise<void>;
  #watch: Watch;
  #reader: OutputReader;
  #committed: WatchProgress;
  #end: CommandEnd | undefined;
  #outputLost: string | undefined;
  #stoppedBy: string | undefined;
  #isLeft = false;
  /** How long the last poll blocked the thread. */
  #blockedMs = 0;
  #wake: () => void = () => undefined;

  constructor(
    private readonly ports: MonitorPorts,
    private readonly task: MonitorTask,
    private readonly command: WatchedCommand,
    private readonly rules: WatchRules,
    progress: WatchProgress,
    /** What it had printed when it was adopted, and when: it was silent since then. */
    private readonly before: PrintedBefore = { size: 0, at: Number.POSITIVE_INFINITY },
  ) {
    this.#committed = progress;
    this.#watch = new Watch(rules, progress, ports.now(), Math.min(ports.now(), before.at));
    this.#reader = new OutputReader(command.outputPath, progress.offset);
    void command.outputLost.then((reason) => {
      this.#outputLost = reason;
      this.#wake();
    });
    void command.wait().then((end) => {
      this.#end = end;
      this.#wake();
    });
    this.done = this.#run();
  }

  /** Resolves when it has ended. Only the first caller is recorded. */
  stop(by: string): Promise<void> {
    this.#stoppedBy ??= by;
    this.#wake();
    return this.done;
  }

  /** Stops following the command, which continues. */
  leave(): void {
    this.#isLeft = true;
    this.command.leave();
    this.#wake();
  }

  async #run(): Promise<void> {
    let reason = await this.#pollUntilOver();
    if (reason === 'idle') {
      const end = await this.command.stop(reason);
      if (end.type !== 'stopped') {
        this.#end = end;
        reason = await this.#pollUntilOver();
      }
    }
    await this.#reader.close();
    if (this.#hasLeft()) return;
    const by = this.#stoppedBy ?? reason;
    const end = by === undefined ? this.#end : await this.command.stop(by);
    if (end === undefined || this.#hasLeft()) return;
    await this.#settle(this.#outcome(end, this.#stoppedBy === undefined ? reason : undefined));
  }

  async #pollUntilOver(): Promise<StopReason | undefined> {
    while (!this.#isOff()) {
      // Known before the poll, so that the poll reads all that is left.
      const isLast = this.#end !== undefined || this.#outputLost !== undefined;
      const isAll = await this.#poll();
      if (this.#isOff()) return undefined;
      if (isLast && isAll) this.#watch.finish(this.ports.now());
      if (!(await this.#sendUpdate())) continue;
      if (this.#watch.isFull) return 'max_events';
      if (isLast && isAll) return this.#outputLost === undefined ? undefined : 'output_failed';
      const restMs = this.#blockedMs * PAUSE_FACTOR;
      if (isLast) {
        await this.#pause(restMs);
        continue;
      }
      // Unread output may be new.
      if (isAll && this.#watch.isIdle(this.ports.now())) return 'idle';
      await this.#pause(Math.max(POLL_MS, restMs));
    }
    return undefined;
  }

  #hasLeft(): boolean {
    return this.#isLeft;
  }

  #isOff(): boolean {
    return this.#isLeft || this.#stoppedBy !== undefined;
  }

  /** Whether all output was read. */
  async #poll(): Promise<boolean> {
    const watch = this.#watch;
    this.#blockedMs = 0;
    for (let reads = 0; reads < READS_PER_POLL && this.#blockedMs < MAX_POLL_MS; reads++) {
      const { bytes, dropped } = await this.#read();
      if (this.#isOff()) return false;
      if (dropped) watch.skipTo(dropped.to);
      if (bytes.length === 0) return true;
      const now = this.ports.now();
      const isFromBefore = watch.readAt + bytes.length <= this.before.size;
      const began = performance.now();
      watch.take(bytes, now, isFromBefore ? Math.min(now, this.before.at) : now);
      this.#blockedMs += performance.now() - began;
      if (watch.isFull) return false;
    }
    return false;
  }

  async #read(): ReturnType<OutputReader['read']> {
    try {
      return await this.#reader.read(READ_BYTES);
    } catch (error) {
      this.#outputLost ??= error instanceof Error ? error.message : String(error);
      return { bytes: Buffer.alloc(0) };
    }
  }

  /** Whether all new lines were sent, or counted as dropped. */
  async #sendUpdate(): Promise<boolean> {
    const update = this.#watch.takeUpdate();
    if (!update) return true;
    const { progress } = this.#watch;
    try {
      if (await this.task.send(monitorUpdateText(this.task.taskId, update), progress)) {
        this.#committed = progress;
      } else this.#watch.drop(update);
      return true;
    } catch (error) {
      await this.#readAgain(error);
      return false;
    }
  }

  async #readAgain(error: unknown): Promise<void> {
    const message = 'an update of a monitor could not be sent; its output is read again';
    this.ports.diagnose(message, { taskId: this.task.taskId, error });
    await this.#reader.close();
    this.#watch = new Watch(this.rules, this.#committed, this.ports.now());
    this.#reader = new OutputReader(this.command.outputPath, this.#committed.offset);
    await this.#pause(RETRY_MS);
  }

  async #settle(ending: Ending): Promise<void> {
    while (!this.#hasLeft()) {
      try {
        await this.task.settle(ending, this.#watch.progress);
        return;
      } catch (error) {
        const { taskId } = this.task;
        this.ports.diagnose('the end of a monitor could not be stored', { taskId, error });
        if (error instanceof StoaError && error.code === 'task_not_found') return;
        await this.#pause(RETRY_MS);
      }
    }
  }

  #outcome(end: CommandEnd, reason: StopReason | undefined): Ending {
    if (reason === undefined) return endingOf(end);
    if (reason !== 'output_failed') return { status: 'completed', end: { cause: reason } };
    return { status: 'failed', end: { cause: reason, message: this.#outputLost ?? '' } };
  }

  async #pause(ms: number): Promise<void> {
    let cancel = (): void => undefined;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      cancel = this.ports.timers.after(ms, resolve);
      if (this.#isLeft) resolve();
    });
    cancel();
  }
}
