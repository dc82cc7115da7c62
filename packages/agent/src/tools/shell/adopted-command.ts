import { type CommandFiles, type CommandStatus, isThere } from './command-files.js';
import { CommandProcesses, type Stopped } from './command-processes.js';
import { Deferred } from './deferred.js';
import type { ProcessMarks } from './found-process.js';
import { MARK } from './mark.js';
import { startTimeOf } from './process-tree.js';
import type { CommandEnd, RunningCommand } from './running-command.js';

const LOOK_MS = 10;
const POLL_MS = 150;
/** How long after it was adopted a command that was about to be started may record that it was. */
const START_MS = 2_000;
/** How long output may take after the exit was recorded. */
const WHOLE_MS = 2_000;

/**
 * A command that another daemon started, known by its files alone:
 *
 *   running    it is looked at until its status has an exit, or its process is gone
 *   exited     its code is known, whoever was there to see it
 *   unknown    what is marked as its own is still it, and is waited for; without any it is lost, and the
 *              process that may have its number by now is not touched
 *
 * Where no file speaks of it, it was not started here: its processes, marked as they are, belong to the data
 * directory that this one is a copy of. It is lost, and nothing is looked for.
 */
export async function adoptCommand(files: CommandFiles, nonce: string): Promise<RunningCommand> {
  const read = await files.readIntent();
  const intent = read?.nonce === nonce ? read : undefined;
  const status = await files.readStatus(nonce);
  if (!intent && !status) return notStartedHere(files, nonce);
  const surroundings = intent?.surroundings ?? { isGroupTold: true, leavesNothing: false };
  return new AdoptedCommand(files, nonce, surroundings, status);
}

function notStartedHere(files: CommandFiles, nonce: string): RunningCommand {
  const reason = 'nothing in this data directory says that it was started';
  const end = Promise.resolve({ type: 'lost', reason } as const);
  return {
    id: files.id,
    nonce,
    files,
    pid: undefined,
    outputPath: files.output,
    isOver: true,
    outputLost: new Promise(() => undefined),
    wait: () => end,
    stop: () => end,
    release: () => undefined,
    leave: () => undefined,
    discard: () => files.remove(),
  };
}

class AdoptedCommand implements RunningCommand {
  readonly id: string;
  readonly outputPath: string;
  readonly #processes: CommandProcesses;
  readonly #outputLost = new Deferred<string>();
  readonly #ended: Promise<CommandEnd>;
  readonly #adoptedAt = performance.now();
  #status: CommandStatus | undefined;
  #isHere = false;
  #isOver: boolean;
  #isLeft = false;
  /** Resolves with nothing when it had ended before it could be told. */
  #stopping: Promise<Stopped | undefined> | undefined;
  #stoppedBy = '';

  constructor(
    readonly files: CommandFiles,
    readonly nonce: string,
    surroundings: ConstructorParameters<typeof CommandProcesses>[0]['surroundings'],
    status: CommandStatus | undefined,
  ) {
    this.id = files.id;
    this.outputPath = files.output;
    this.#status = status;
    this.#isOver = status?.exitCode !== undefined;
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
    // It was, or it would have ended with the daemon that held it.
  }

  leave(): void {
    this.#isLeft = true;
  }

  async discard(): Promise<void> {
    await this.#ended;
    await this.files.remove();
  }

  async #follow(): Promise<CommandEnd> {
    const end = await this.#untilEnd();
    this.#isOver = true;
    const lost = this.#status?.outputLost;
    return lost === undefined ? end : { ...end, outputLost: lost };
  }

  async #untilEnd(): Promise<CommandEnd> {
    for (;;) {
      if (this.#isLeft) return new Promise<never>(() => undefined);
      const stopped = await this.#stopping;
      if (stopped) return this.#stopEnd(stopped);
      const found = await this.#look();
      if (found) return found;
      await pause(POLL_MS);
    }
  }

  /** How it ended, if it has. */
  async #look(): Promise<CommandEnd | undefined> {
    await this.#read();
    if (this.#status?.outputLost !== undefined) this.#outputLost.resolve(this.#status.outputLost);
    if (this.#status?.exitCode !== undefined) {
      // Awaited only where there is something: nobody is to begin in between.
      if (this.#stopping && (await this.#stopping)) return undefined;
      this.#isOver = true;
      const { exitCode } = this.#status;
      await this.#processes.endLeftovers();
      await this.#isGoneWithin(WHOLE_MS);
      return { type: 'exited', exitCode };
    }
    if (this.#isHere) return undefined;
    if (!this.#status && performance.now() - this.#adoptedAt < START_MS) return undefined;
    if (await this.#processes.isMarked()) return undefined;
    // It may have recorded its exit between the two looks.
    const last = await this.#read();
    if (last?.exitCode !== undefined) return undefined;
    const reason = last
      ? 'its process is gone and nobody recorded how it ended'
      : 'it was about to be started, and nothing says that it was';
    return { type: 'lost', reason };
  }

  async #read(): Promise<CommandStatus | undefined> {
    this.#status = (await this.files.readStatus(this.nonce)) ?? this.#status;
    this.#isHere = this.#status !== undefined && (await isThere(this.#status));
    return this.#status;
  }

  async #stop(): Promise<Stopped | undefined> {
    const status = await this.#read();
    if (status?.exitCode !== undefined) return undefined;
    return this.#processes.stop();
  }

  async #stopEnd(stopped: Stopped): Promise<CommandEnd> {
    await this.#read();
    const exitCode = this.#status?.exitCode;
    const code = exitCode === undefined ? {} : { exitCode };
    return { type: 'stopped', by: this.#stoppedBy, ...stopped, ...code };
  }

  /** Its leader only as long as that is surely the one that was recorded. */
  #marks(): ProcessMarks {
    const marker = `${MARK}=${this.nonce}`;
    if (!this.#isLeaderHere()) return { leader: undefined, marker };
    return { leader: this.#status?.pid, marker };
  }

  /** The boot was compared when it was read. */
  #isLeaderHere(): boolean {
    if (!this.#isHere || !this.#status) return false;
    this.#isHere = startTimeOf(this.#status.pid) === this.#status.startTime;
    return this.#isHere;
  }

  async #isGoneWithin(ms: number): Promise<boolean> {
    const deadline = performance.now() + ms;
    while (this.#isLeaderHere()) {
      if (performance.now() > deadline) return false;
      await pause(LOOK_MS);
    }
    return true;
  }
}

/** Nobody is kept from ending by it. */
const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
