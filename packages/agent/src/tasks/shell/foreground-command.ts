import { types } from 'node:util';
import { StoaError } from '@stoa/protocol';
import { Deferred } from '../../tools/shell/deferred.js';
import type { CommandEnd, RunningCommand } from '../../tools/shell/running-command.js';
import { BY_RUN, BY_TIMEOUT } from './settlement.js';

type Waited =
  | { readonly type: 'ended'; readonly end: CommandEnd }
  | { readonly type: 'promoted'; readonly why: 'asked' | 'timeout' };

interface ForegroundOptions {
  readonly taskId: string;
  readonly running: RunningCommand;
  readonly timeoutMs: number;
  readonly onTimeout: 'kill' | 'background';
  /** The signal of the call. Its reason decides whether the command ends or continues in the background. */
  readonly signal: AbortSignal;
  /** Makes it a background task. */
  readonly promote: () => Promise<void>;
}

/**
 * A command that a tool call waits for:
 *
 *   waiting ──ended or stopped──────▶ over
 *      │ ▲
 *      │ └──promotion failed──────┐
 *      └──requested, or timeout───▶ promoting ──▶ promoted
 *
 * A command that is over or being stopped is not promoted, and the call does not stop a promoted one.
 */
export class ForegroundCommand {
  readonly #waited = new Deferred<Waited>();
  readonly #timer: NodeJS.Timeout;
  readonly #abort: () => void;
  #state: 'waiting' | 'promoting' | 'promoted' | 'over' = 'waiting';
  #stopAfter: string | undefined;

  constructor(private readonly options: ForegroundOptions) {
    const { running, signal, timeoutMs } = options;
    this.#timer = setTimeout(() => void this.#timedOut(), timeoutMs);
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
    const { taskId, running, promote } = this.options;
    if (!this.canBePromoted) {
      throw new StoaError('task_not_foreground', `${taskId} has ended or is being stopped`);
    }
    this.#state = 'promoting';
    try {
      await promote();
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

  async #timedOut(): Promise<void> {
    if (this.options.onTimeout === 'background' && this.canBePromoted) {
      // If it cannot be promoted, it is stopped as with onTimeout 'kill'.
      await this.promote('timeout').catch(() => this.#stop(BY_TIMEOUT));
    } else this.#stop(BY_TIMEOUT);
  }

  async #aborted(): Promise<void> {
    const { kind } = readAbortReason(this.options.signal.reason);
    if (kind === 'background' && this.canBePromoted) {
      await this.promote().catch(() => this.#stop(BY_RUN));
    } else this.#stop(BY_RUN);
  }

  #stop(by: string): void {
    if (this.#state === 'waiting') void this.options.running.stop(by);
    else if (this.#state === 'promoting') this.#stopAfter ??= by;
  }
}

/** What an aborted call does with its command. */
type AbortReason = { readonly kind: 'cancel' } | { readonly kind: 'background' };

/**
 * Reads the reason of a signal, which any code may have set. Only a plain own property lets the command continue
 * in the background. Nothing that could run code is accessed.
 */
export function readAbortReason(reason: unknown): AbortReason {
  if (typeof reason !== 'object' || reason === null || types.isProxy(reason)) {
    return { kind: 'cancel' };
  }
  const kind = Object.getOwnPropertyDescriptor(reason, 'kind');
  const isBackground = kind !== undefined && 'value' in kind && kind.value === 'background';
  return { kind: isBackground ? 'background' : 'cancel' };
}
