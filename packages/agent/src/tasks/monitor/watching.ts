import {
  monitorUpdateText,
  type Settlement,
  type Timers,
  Watch,
  type WatchProgress,
  type WatchRules,
} from '@stoa/core';
import { StoaError } from '@stoa/protocol';
import type { PrintedBefore } from '../../tools/shell/output-pieces.js';
import { OutputReader } from '../../tools/shell/output-range.js';
import type { CommandEnd, RunningCommand } from '../../tools/shell/running-command.js';
import { endingOf } from '../shell/settlement.js';

type Ending = Pick<Settlement, 'status' | 'end'>;

/** What the registry of tasks is asked for. */
export interface WatchedTask {
  readonly taskId: string;
  /** One commit: what is told and how far it has come with that. False when there is no room for it. */
  tell(text: string, progress: WatchProgress): Promise<boolean>;
  settle(ending: Ending, progress: WatchProgress): Promise<void>;
}

export interface WatchingPorts {
  /** Milliseconds; may jump. */
  readonly now: () => number;
  readonly timers: Timers;
  readonly diagnose: (message: string, details: Readonly<Record<string, unknown>>) => void;
}

const LOOK_MS = 200;
const RETRY_MS = 1_000;
const READ_BYTES = 4_096;
/**
 * What is read at one look, and how long that may take of the thread that serves everybody: a command may print
 * without end, and its filter may be slow. Who took that long rests so many times as long.
 */
const READS_PER_LOOK = 256;
const LOOK_TAKES_MS = 4;
const RESTS = 16;

/** Why it ends by itself, though its command does not. */
type Enough = 'max_events' | 'idle' | 'output_failed';

type WatchedCommand = Pick<RunningCommand, 'outputPath' | 'outputLost' | 'wait' | 'stop' | 'leave'>;

/**
 * A monitor under way: looks at the output of its command every so often, tells what is new there, and
 * settles its task.
 *
 *   watching ── the command has ended               → the rest is read and told; settled by its exit
 *            ── all events told, or silent too long → the command is stopped; completed. One that turns out
 *                                                     to have ended by itself was not silent: see above
 *            ── its output cannot be kept           → the command is stopped; failed
 *            ── stopped                             → nothing is told any more; cancelled when all is gone
 *            ── left, as the daemon ends            → nothing; who goes on begins at what was committed
 */
export class Watching {
  /** Resolves when the task is settled, or was left. */
  readonly done: Promise<void>;
  #watch: Watch;
  #reader: OutputReader;
  #committed: WatchProgress;
  #end: CommandEnd | undefined;
  #outputLost: string | undefined;
  #stoppedBy: string | undefined;
  #isLeft = false;
  /** What the last look took. */
  #tookMs = 0;
  #wake: () => void = () => undefined;

  constructor(
    private readonly ports: WatchingPorts,
    private readonly task: WatchedTask,
    private readonly command: WatchedCommand,
    private readonly rules: WatchRules,
    progress: WatchProgress,
    /** What it had printed when it was taken up again, and when: it was silent since then. */
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

  /** Resolves when it is gone. The first who stops it is kept. */
  stop(by: string): Promise<void> {
    this.#stoppedBy ??= by;
    this.#wake();
    return this.done;
  }

  /** It goes on without being watched. */
  leave(): void {
    this.#isLeft = true;
    this.command.leave();
    this.#wake();
  }

  async #run(): Promise<void> {
    let enough = await this.#untilOver();
    if (enough === 'idle') {
      const end = await this.command.stop(enough);
      if (end.type !== 'stopped') {
        this.#end = end;
        enough = await this.#untilOver();
      }
    }
    await this.#reader.close();
    if (this.#hasLeft()) return;
    const by = this.#stoppedBy ?? enough;
    const end = by === undefined ? this.#end : await this.command.stop(by);
    if (end === undefined || this.#hasLeft()) return;
    // Who stopped it wants no more of it; what it printed is in its file.
    await this.#settle(this.#outcome(end, this.#stoppedBy === undefined ? enough : undefined));
  }

  async #untilOver(): Promise<Enough | undefined> {
    while (!this.#isOff()) {
      // Known before the look: then what is there to be read is all of it.
      const isLast = this.#end !== undefined || this.#outputLost !== undefined;
      const isAll = await this.#look();
      if (this.#isOff()) return undefined;
      if (isLast && isAll) this.#watch.finish(this.ports.now());
      if (!(await this.#tell())) continue;
      if (this.#watch.isFull) return 'max_events';
      if (isLast && isAll) return this.#outputLost === undefined ? undefined : 'output_failed';
      const restMs = this.#tookMs * RESTS;
      if (isLast) {
        await this.#pause(restMs);
        continue;
      }
      // What is not read yet may be new.
      if (isAll && this.#watch.isIdle(this.ports.now())) return 'idle';
      await this.#pause(Math.max(LOOK_MS, restMs));
    }
    return undefined;
  }

  #hasLeft(): boolean {
    return this.#isLeft;
  }

  #isOff(): boolean {
    return this.#isLeft || this.#stoppedBy !== undefined;
  }

  /** Whether there was no more to be read. */
  async #look(): Promise<boolean> {
    const watch = this.#watch;
    this.#tookMs = 0;
    for (let reads = 0; reads < READS_PER_LOOK && this.#tookMs < LOOK_TAKES_MS; reads++) {
      const { bytes, dropped } = await this.#read();
      if (this.#isOff()) return false;
      if (dropped) watch.skipTo(dropped.to);
      if (bytes.length === 0) return true;
      const now = this.ports.now();
      const isFromBefore = watch.readAt + bytes.length <= this.before.size;
      const began = performance.now();
      watch.take(bytes, now, isFromBefore ? Math.min(now, this.before.at) : now);
      this.#tookMs += performance.now() - began;
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

  /** Whether all there was to tell is told, or counts as dropped. */
  async #tell(): Promise<boolean> {
    const update = this.#watch.takeUpdate();
    if (!update) return true;
    const { progress } = this.#watch;
    try {
      if (await this.task.tell(monitorUpdateText(this.task.taskId, update), progress)) {
        this.#committed = progress;
      } else this.#watch.drop(update);
      return true;
    } catch (error) {
      await this.#readAgain(error);
      return false;
    }
  }

  async #readAgain(error: unknown): Promise<void> {
    const message = 'what a monitor saw could not be told; it is read again';
    this.ports.diagnose(message, { ...this.#about, error });
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
        this.ports.diagnose('the end of a monitor could not be recorded', {
          ...this.#about,
          error,
        });
        if (error instanceof StoaError && error.code === 'task_not_found') return;
        await this.#pause(RETRY_MS);
      }
    }
  }

  #outcome(end: CommandEnd, enough: Enough | undefined): Ending {
    if (enough === undefined) return endingOf(end);
    if (enough !== 'output_failed') return { status: 'completed', end: { cause: enough } };
    return { status: 'failed', end: { cause: enough, message: this.#outputLost ?? '' } };
  }

  get #about() {
    return { taskId: this.task.taskId };
  }

  async #pause(ms: number): Promise<void> {
    let callOff = (): void => undefined;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      callOff = this.ports.timers.after(ms, resolve);
      if (this.#isLeft) resolve();
    });
    callOff();
  }
}
