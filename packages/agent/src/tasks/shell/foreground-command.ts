import { StoaError } from '@stoa/protocol';
import { Deferred } from '../../tools/shell/deferred.js';
import type { CommandEnd, RunningCommand } from '../../tools/shell/running-command.js';
import { readAbortReason } from './abort-reason.js';
import { BY_TIMEOUT } from './settlement.js';

/** What became of a command that a tool call waited for. */
export type Waited =
  | { readonly type: 'ended'; readonly end: CommandEnd }
  | { readonly type: 'promoted'; readonly why: 'asked' | 'timeout' };

export interface ForegroundOptions {
  readonly taskId: string;
  readonly running: RunningCommand;
  readonly timeoutMs: number;
  readonly onTimeout: 'kill' | 'background';
  /** Of the call. Its reason says whether the command is ended or goes on without it. */
  readonly signal: AbortSignal;
  /** Makes it a task: the commit from which on somebody else looks after it. */
  readonly enter: () => Promise<void>;
}

/**
 * A command that a tool call waits for:
 *
 *   waiting ──it ended, or was stopped──▶ over
 *      │ ▲
 *      │ └──it could not be entered───┐
 *      └──asked, or its time is over──▶ entering ──▶ promoted
 *
 * What happens first counts: one that is over or being stopped is not promoted, and one that was promoted
 * is not stopped by the call.
 */
export class ForegroundCommand {
  readonly #waited = new Deferred<Waited>();
  readonly #timer: NodeJS.Timeout;
  readonly #abort: () => void;
  #state: 'waiting' | 'entering' | 'promoted' | 'over' = 'waiting';
  #stopAfter: string | undefined;

  constructor(private readonly options: ForegroundOptions) {
    const { running, signal, timeoutMs } = options;
    this.#timer = setTimeout(() => void this.#timeIsOver(), timeoutMs);
    this.#abort = () => void this.#aborted();
    signal.addEventListener('abort', this.#abort, { once: true });
    if (signal.aborted) this.#abort();
    void running.wait().then((end) => {
      if (this.#state !== 'waiting') return;
      this.#state = 'over';
      this.#waited.resolve({ type: 'ended', end });
    });
    void this.#waited.promise.then(() => {
      clearTimeout(this.#timer);
      signal.removeEventListener('abort', this.#abort);
    });
  }

  get taskId(): string {
    return this.options.taskId;
  }

  get canBePromoted(): boolean {
    return this.#state === 'waiting' && !this.options.running.isOver;
  }

  wait(): Promise<Waited> {
    return this.#waited.promise;
  }

  async promote(why: 'asked' | 'timeout' = 'asked'): Promise<void> {
    const { taskId, running, enter } = this.options;
    if (!this.canBePromoted) {
      throw new StoaError('task_not_foreground', `${taskId} is over, or is being stopped`);
    }
    this.#state = 'entering';
    try {
      await enter();
    } catch (error) {
      this.#state = 'waiting';
      if (this.#stopAfter !== undefined) void running.stop(this.#stopAfter);
      if (running.isOver) void this.#endNow();
      throw error;
    }
    this.#state = 'promoted';
    running.release();
    this.#waited.resolve({ type: 'promoted', why });
  }

  async #endNow(): Promise<void> {
    const end = await this.options.running.wait();
    this.#state = 'over';
    this.#waited.resolve({ type: 'ended', end });
  }

  async #timeIsOver(): Promise<void> {
    if (this.options.onTimeout === 'background' && this.canBePromoted) {
      // One that cannot go on in the background ends as it would have without.
      await this.promote('timeout').catch(() => this.#stop(BY_TIMEOUT));
    } else this.#stop(BY_TIMEOUT);
  }

  async #aborted(): Promise<void> {
    const { kind } = readAbortReason(this.options.signal.reason);
    if (kind === 'background' && this.canBePromoted) {
      await this.promote().catch(() => this.#stop('run'));
    } else this.#stop('run');
  }

  #stop(by: string): void {
    if (this.#state === 'waiting') void this.options.running.stop(by);
    else if (this.#state === 'entering') this.#stopAfter ??= by;
  }
}
