import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import { CommandFiles } from './command-files.js';
import { findProcesses, type ProcessMarks, signal, startTimeOf } from './process-tree.js';
import type { Sandbox } from './sandbox.js';
import { shellPath, unbufferingLibrary } from './system-programs.js';
import { WRAPPER } from './wrapper.js';

export interface CommandRequest {
  readonly command: string;
  readonly cwd: string;
  /** Where this session's commands keep their files. */
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly sandbox: Sandbox;
}

export type CommandEnd =
  | { readonly type: 'exited'; readonly exitCode: number }
  /** `isDead`: no process of it is left, which was looked for. */
  | {
      readonly type: 'stopped';
      readonly by: string;
      readonly signal: 'SIGTERM' | 'SIGKILL';
      readonly isDead: boolean;
      readonly exitCode?: number;
    }
  | { readonly type: 'not_started'; readonly reason: string };

/** A command under way. */
export interface RunningCommand {
  readonly id: string;
  readonly nonce: string;
  /** The leader of its group; undefined when it could not be started. */
  readonly pid: number | undefined;
  readonly outputPath: string;
  /** Resolves when it has ended and its output is whole. Does not reject. */
  wait(): Promise<CommandEnd>;
  /** Ends it and everything it started; resolves when that is done. The first who stops it is kept. */
  stop(by: string): Promise<CommandEnd>;
  /** Removes its files, once it has ended. */
  discard(): Promise<void>;
}

const GRACE_MS = 200;
/** How long output may take to end by itself after the command has. */
const DRAIN_MS = 100;
const DEADLINE_MS = 5_000;
const LOOK_MS = 10;
const RECENT_MS = 2_000;
const MARK = 'STOA_TASK';

/**
 * Starts a shell command in a session and group of its own. Waiting for it is up to the caller: who
 * ceases to wait has it in the background, and nothing about the command changes.
 */
export async function startCommand(request: CommandRequest): Promise<RunningCommand> {
  const id = `sh_${randomBytes(4).toString('hex')}`;
  const nonce = randomBytes(16).toString('hex');
  const files = new CommandFiles(request.directory, id);
  const { command, cwd } = request;
  files.writeIntent({ id, nonce, command, cwd, at: Date.now() });
  const { kind, processes } = await request.sandbox.report();
  // What surrounds a command is not marked as the command is: bubblewrap marks what it starts.
  const isWrapped = kind !== 'none';
  const argv = await request.sandbox.wrap(
    [await shellPath(), '-c', command],
    isWrapped ? { [MARK]: nonce } : {},
  );
  const variable = isWrapped ? '' : `${MARK}=${nonce}`;
  const names = [files.status, files.output, nonce, variable, await unbufferingLibrary()];
  const wrapper = ['-c', WRAPPER, 'stoa', ...names, ...argv];
  const child = spawn('/bin/sh', wrapper, {
    cwd,
    env: { ...request.environment },
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  return new SpawnedCommand(id, nonce, files, child, {
    isGroupTold: kind === 'none',
    leavesNothing: processes === 'separate',
  });
}

interface Surroundings {
  /** Without a sandbox; one would die of the signal and take the command with it at once. */
  readonly isGroupTold: boolean;
  /** The system itself ends every process with the first one. */
  readonly leavesNothing: boolean;
}

class SpawnedCommand implements RunningCommand {
  readonly pid: number | undefined;
  readonly outputPath: string;
  readonly #exited: Promise<void>;
  readonly #ended: Promise<CommandEnd>;
  readonly #since: number | undefined;
  readonly #startedAt = performance.now();
  readonly #stopDone = new Deferred();
  #exitCode: number | undefined;
  #problem: string | undefined;
  #stopping: Promise<void> | undefined;
  #stopped: Omit<Extract<CommandEnd, { type: 'stopped' }>, 'exitCode'> | undefined;
  #hasExited = false;

  constructor(
    readonly id: string,
    readonly nonce: string,
    private readonly files: CommandFiles,
    child: ChildProcess,
    private readonly surroundings: Surroundings,
  ) {
    this.pid = child.pid;
    this.outputPath = files.output;
    const started = child.pid === undefined ? undefined : startTimeOf(child.pid);
    this.#since = started === undefined ? undefined : Number(started);
    const said = this.#listen(child.stdio[3] as Readable);
    this.#exited = new Promise<void>((resolve) => {
      child.once('error', (error) => {
        this.#problem = error.message;
        if (child.pid === undefined) resolve();
      });
      child.once('close', () => resolve());
    }).then(() => {
      this.#hasExited = true;
    });
    this.#ended = this.#follow(said);
  }

  wait(): Promise<CommandEnd> {
    return this.#ended;
  }

  stop(by: string): Promise<CommandEnd> {
    if (!this.#hasExited) this.#stopping ??= this.#stop(by);
    return this.#ended;
  }

  async discard(): Promise<void> {
    await this.#ended;
    await this.files.remove();
  }

  /** Resolves when the wrapper has said how the command exited, or cannot say it any more. */
  #listen(status: Readable): Promise<void> {
    return new Promise((resolve) => {
      let text = '';
      status.setEncoding('utf8');
      status.on('data', (chunk: string) => {
        text += chunk;
        if (!text.includes('\n')) return;
        this.#exitCode = Number.parseInt(text, 10);
        resolve();
      });
      status.on('error', () => resolve());
      status.on('close', () => resolve());
    });
  }

  async #follow(said: Promise<void>): Promise<CommandEnd> {
    await Promise.race([said, this.#stopDone.promise]);
    if (!this.#stopping && this.pid !== undefined) await this.#endLeftovers(this.pid);
    await Promise.race([this.#exited, this.#stopDone.promise]);
    await this.#stopping;
    const exitCode = this.#exitCode;
    if (this.#stopped) return { ...this.#stopped, ...(exitCode === undefined ? {} : { exitCode }) };
    if (exitCode !== undefined) return { type: 'exited', exitCode };
    return { type: 'not_started', reason: this.#problem ?? 'its start could not be recorded' };
  }

  /** The command is over; what it left running is nobody's any more, and may hold the output open. */
  async #endLeftovers(leader: number): Promise<void> {
    const isDrained = await within(DRAIN_MS, this.#exited);
    if (isDrained && this.surroundings.leavesNothing) return;
    if (isDrained) await this.#kill(leader, () => true);
    else await this.#killAll(leader);
  }

  async #stop(by: string): Promise<void> {
    const { pid } = this;
    if (pid === undefined) return;
    await this.#terminate(pid);
    let isDead = await this.#diesWithin(GRACE_MS, pid);
    const used = isDead ? 'SIGTERM' : 'SIGKILL';
    if (!isDead) isDead = await this.#killAll(pid);
    this.#stopped = { type: 'stopped', by, signal: used, isDead };
    this.#stopDone.resolve();
  }

  /** First the command only, so that its output and its exit status are still written down. */
  async #killAll(leader: number): Promise<boolean> {
    await this.#kill(leader, ({ isMarked }) => isMarked);
    await within(DRAIN_MS, this.#exited);
    return this.#kill(leader, () => true);
  }

  async #terminate(leader: number): Promise<void> {
    const found = await findProcesses(this.#marks(leader));
    if (found && !this.surroundings.isGroupTold) {
      for (const { pid, isMarked } of found) if (isMarked) signal(pid, 'SIGTERM');
      return;
    }
    signal(-leader, 'SIGTERM');
    for (const { pid, isMarked } of found ?? []) if (isMarked) signal(pid, 'SIGTERM');
  }

  /** The wrapper may be gone before the last of what it started is: all of it has the same time. */
  async #diesWithin(ms: number, leader: number): Promise<boolean> {
    const deadline = performance.now() + ms;
    if (!(await within(ms, this.#exited))) return false;
    for (;;) {
      const found = await findProcesses(this.#marks(leader));
      if (found === undefined || found.length === 0) return true;
      if (performance.now() > deadline) return false;
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }

  /** Kills until none is left: a process may have started another while it was looked for. */
  async #kill(
    leader: number,
    which: (found: { readonly isMarked: boolean }) => boolean,
  ): Promise<boolean> {
    const deadline = performance.now() + DEADLINE_MS;
    for (;;) {
      const found = await findProcesses(this.#marks(leader));
      if (!found) {
        signal(-leader, 'SIGKILL');
        return true;
      }
      const left = found.filter(which);
      if (left.length === 0) return true;
      if (performance.now() > deadline) return false;
      for (const { pid } of left) signal(pid, 'SIGKILL');
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }

  #marks(leader: number): ProcessMarks {
    // Looking at all processes takes longer than a short command does.
    const isRecent = !this.#stopping && performance.now() - this.#startedAt < RECENT_MS;
    return { leader, marker: `${MARK}=${this.nonce}`, since: this.#since, isRecent };
  }
}

class Deferred {
  readonly promise: Promise<void>;
  resolve!: () => void;

  constructor() {
    this.promise = new Promise((resolve) => {
      this.resolve = resolve;
    });
  }
}

/** Whether it came true in time. */
async function within(ms: number, happens: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const passed = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  try {
    return await Promise.race([happens.then(() => true), passed]);
  } finally {
    clearTimeout(timer);
  }
}
