import { setTimeout as sleep } from 'node:timers/promises';
import {
  type CommandFiles,
  type CommandStatus,
  isAlive,
  type Surroundings,
} from './command-files.js';
import { CommandProcesses, type Stopped } from './command-processes.js';
import { Deferred } from './deferred.js';
import { MARK, type ProcessMarks, startTimeOf } from './process-tree.js';
import type { CommandEnd, RunningCommand } from './running-command.js';

const EXIT_POLL_MS = 10;
const POLL_MS = 150;
/** How long after its adoption a command that was about to be started may still record its start. */
const START_MS = 2_000;
/** How long output may take after the exit was recorded. */
const OUTPUT_MS = 2_000;

/**
 * Follows a command that another daemon started, using only its files:
 *
 *   running    polled until its status has an exit code or its process is gone
 *   exited     its exit code is known
 *   unknown    processes with its mark still belong to it and are waited for. Without any it is lost; a
 *              process that may have got its id meanwhile is not touched
 *
 * If there is no file of it, it was not started from this data directory: its marked processes belong to the
 * data directory that this one was copied from. It is lost, and its processes are not searched.
 */
export async function adoptCommand(files: CommandFiles, nonce: string): Promise<RunningCommand> {
  const read = await files.readIntent();
  const intent = read?.nonce === nonce ? read : undefined;
  const status = await files.readStatus(nonce);
  const wasStartedHere = intent !== undefined || status !== undefined;
  const surroundings = intent?.surroundings ?? { signalsGroup: true, leavesNothing: false };
  return new AdoptedCommand(files, nonce, wasStartedHere, surroundings, status);
}

class AdoptedCommand implements RunningCommand {
  readonly id: string;
  readonly outputPath: string;
  readonly #processes: CommandProcesses;
  readonly #outputLost = new Deferred<string>();
  readonly #ended: Promise<CommandEnd>;
  readonly #adoptedAt = performance.now();
  #status: CommandStatus | undefined;
  #isLeaderAlive = false;
  #isOver: boolean;
  #isLeft = false;
  /** Resolves with undefined if it had ended before it was signalled. */
  #stopping: Promise<Stopped | undefined> | undefined;
  #stoppedBy = '';

  constructor(
    readonly files: CommandFiles,
    readonly nonce: string,
    private readonly wasStartedHere: boolean,
    surroundings: Surroundings,
    status: CommandStatus | undefined,
  ) {
    this.id = files.id;
    this.outputPath = files.output;
    this.#status = status;
    this.#isOver = !wasStartedHere || status?.exitCode !== undefined;
    this.#processes = new CommandProcesses({
      marks: () => this.#marks(),
      isGoneWithin: (ms) => this.#isGoneWithin(ms),
      surroundings,
    });
    this.#ended = this.#follow();
  }

  get pid(): number | undefined {
    return this.#status?.pid;
  }

  get isOver(): boolean {
    return this.#isOver || this.#stopping !== undefined;
  }

  get outputLost(): Promise<string> {
    return this.#outputLost.promise;
  }

  wait(): Promise<CommandEnd> {
    return this.#ended;
  }

  stop(by: string): Promise<CommandEnd> {
    if (!this.#isOver && !this.#stopping) {
      this.#stoppedBy = by;
      this.#stopping = this.#stop();
    }
    return this.#ended;
  }

  release(): void {
    // It was released already, or it would have ended with its daemon.
  }

  leave(): void {
    this.#isLeft = true;
  }

  async discard(): Promise<void> {
    await this.#ended;
    await this.files.remove();
  }

  async #follow(): Promise<CommandEnd> {
    const end = await this.#pollUntilEnd();
    this.#isOver = true;
    const lost = this.#status?.outputLost;
    return lost === undefined ? end : { ...end, outputLost: lost };
  }

  async #pollUntilEnd(): Promise<CommandEnd> {
    if (!this.wasStartedHere) {
      return { type: 'lost', reason: 'no file in this data directory shows that it was started' };
    }
    for (;;) {
      if (this.#isLeft) return new Promise<never>(() => undefined);
      const stopped = await this.#stopping;
      if (stopped) return this.#stopEnd(stopped);
      const end = await this.#poll();
      if (end) return end;
      await pause(POLL_MS);
    }
  }

  async #poll(): Promise<CommandEnd | undefined> {
    await this.#readStatus();
    if (this.#status?.outputLost !== undefined) this.#outputLost.resolve(this.#status.outputLost);
    if (this.#status?.exitCode !== undefined) {
      // Awaited only if there is one, so that no stop can begin in between.
      if (this.#stopping && (await this.#stopping)) return undefined;
      this.#isOver = true;
      const { exitCode } = this.#status;
      await this.#processes.endLeftovers();
      await this.#isGoneWithin(OUTPUT_MS);
      return { type: 'exited', exitCode };
    }
    if (this.#isLeaderAlive) return undefined;
    if (!this.#status && performance.now() - this.#adoptedAt < START_MS) return undefined;
    if (await this.#processes.isMarked()) return undefined;
    // It may have recorded its exit after the status was read.
    const last = await this.#readStatus();
    if (last?.exitCode !== undefined) return undefined;
    const reason = last
      ? 'its process is gone and its end was not recorded'
      : 'it was about to be started, and no start was recorded';
    return { type: 'lost', reason };
  }

  async #readStatus(): Promise<CommandStatus | undefined> {
    this.#status = (await this.files.readStatus(this.nonce)) ?? this.#status;
    this.#isLeaderAlive = this.#status !== undefined && (await isAlive(this.#status));
    return this.#status;
  }

  async #stop(): Promise<Stopped | undefined> {
    const status = await this.#readStatus();
    if (status?.exitCode !== undefined) return undefined;
    return this.#processes.stop();
  }

  async #stopEnd(stopped: Stopped): Promise<CommandEnd> {
    const status = await this.#readStatus();
    const code = status?.exitCode === undefined ? {} : { exitCode: status.exitCode };
    return { type: 'stopped', by: this.#stoppedBy, ...stopped, ...code };
  }

  /** Names the leader only while it is certainly the recorded process. */
  #marks(): ProcessMarks {
    const marker = `${MARK}=${this.nonce}`;
    return { leader: this.#checkLeader() ? this.#status?.pid : undefined, marker };
  }

  /** Compares only the start time: the boot was compared when the status was read. */
  #checkLeader(): boolean {
    if (!this.#isLeaderAlive || !this.#status) return false;
    this.#isLeaderAlive = startTimeOf(this.#status.pid) === this.#status.startTime;
    return this.#isLeaderAlive;
  }

  async #isGoneWithin(ms: number): Promise<boolean> {
    const deadline = performance.now() + ms;
    while (this.#checkLeader()) {
      if (performance.now() > deadline) return false;
      await pause(EXIT_POLL_MS);
    }
    return true;
  }
}

/** Does not keep this process running. */
const pause = (ms: number): Promise<void> => sleep(ms, undefined, { ref: false });
