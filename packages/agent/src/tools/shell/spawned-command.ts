import type { ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import type { CommandFiles, Surroundings } from './command-files.js';
import { CommandProcesses, type Stopped } from './command-processes.js';
import { Deferred, within } from './deferred.js';
import { MARK, type ProcessMarks, startTimeOf } from './process-tree.js';
import { type CommandEnd, notStartedReason, type RunningCommand } from './running-command.js';

const RECENT_MS = 2_000;

/** A command whose wrapper is a child of this process. */
export class SpawnedCommand implements RunningCommand {
  readonly pid: number | undefined;
  readonly outputPath: string;
  readonly #child: ChildProcess;
  readonly #channel: Socket | undefined;
  readonly #exited: Promise<void>;
  readonly #ended: Promise<CommandEnd>;
  readonly #since: number | undefined;
  readonly #startedAt = performance.now();
  readonly #stopDone = new Deferred<void>();
  readonly #outputLost = new Deferred<string>();
  readonly #processes: CommandProcesses;
  #exitCode: number | undefined;
  #problem: string | undefined;
  #lostReason: string | undefined;
  #killedBy: string | undefined;
  #stopping: Promise<void> | undefined;
  #stopped: (Stopped & { readonly by: string }) | undefined;
  #hasExited = false;
  #isLeft = false;

  constructor(
    readonly id: string,
    readonly nonce: string,
    readonly files: CommandFiles,
    child: ChildProcess,
    surroundings: Surroundings,
    isReleased: boolean,
  ) {
    this.#child = child;
    // If the process has no free descriptor there is no channel, and the error event follows later.
    const stdio = child.stdio as ChildProcess['stdio'] | undefined;
    this.#channel = (stdio?.[3] ?? undefined) as Socket | undefined;
    this.pid = child.pid;
    this.outputPath = files.output;
    const started = child.pid === undefined ? undefined : startTimeOf(child.pid);
    this.#since = started === undefined ? undefined : Number(started);
    this.#processes = new CommandProcesses({
      marks: () => this.#marks(),
      isGoneWithin: (ms) => within(ms, this.#exited),
      surroundings,
    });
    const reported = this.#listen();
    this.#exited = new Promise<void>((resolve) => {
      child.once('error', (error) => {
        this.#problem = notStartedReason(error);
        if (child.pid === undefined) resolve();
      });
      child.once('exit', (_, signal) => {
        this.#killedBy = signal ?? undefined;
      });
      child.once('close', () => resolve());
    }).then(() => {
      this.#hasExited = true;
    });
    this.#ended = this.#follow(reported);
    if (isReleased) this.#letGo();
  }

  get isOver(): boolean {
    return this.#exitCode !== undefined || this.#hasExited || this.#stopping !== undefined;
  }

  get outputLost(): Promise<string> {
    return this.#outputLost.promise;
  }

  wait(): Promise<CommandEnd> {
    return this.#ended;
  }

  stop(by: string): Promise<CommandEnd> {
    if (!this.#hasExited) this.#stopping ??= this.#stop(by);
    return this.#ended;
  }

  release(): void {
    this.#channel?.write('\n');
    this.#letGo();
  }

  leave(): void {
    this.#isLeft = true;
    this.#letGo();
  }

  async discard(): Promise<void> {
    await this.#ended;
    await this.files.remove();
  }

  /** Lets this process end before the command does. */
  #letGo(): void {
    this.#child.unref();
    this.#channel?.unref();
  }

  /** Resolves when the wrapper has reported the exit code, or can no longer report it. */
  #listen(): Promise<void> {
    const channel = this.#channel;
    if (!channel) return Promise.resolve();
    return new Promise((resolve) => {
      let text = '';
      channel.setEncoding('utf8');
      channel.on('data', (chunk: string) => {
        const lines = (text + chunk).split('\n');
        text = lines.pop() ?? '';
        for (const line of lines) {
          if (line.startsWith('!')) {
            this.#lostReason = line.slice(1);
            this.#outputLost.resolve(this.#lostReason);
          } else {
            this.#exitCode = Number.parseInt(line, 10);
            resolve();
          }
        }
      });
      channel.on('error', () => resolve());
      channel.on('close', () => resolve());
    });
  }

  async #follow(reported: Promise<void>): Promise<CommandEnd> {
    await Promise.race([reported, this.#stopDone.promise]);
    if (this.#isLeft) return new Promise<never>(() => undefined);
    if (!this.#stopping && this.pid !== undefined) await this.#processes.endLeftovers();
    await Promise.race([this.#exited, this.#stopDone.promise]);
    await this.#stopping;
    const end = await this.#end();
    return this.#lostReason === undefined ? end : { ...end, outputLost: this.#lostReason };
  }

  async #end(): Promise<CommandEnd> {
    const exitCode = this.#exitCode;
    if (this.#stopped) {
      const code = exitCode === undefined ? {} : { exitCode };
      return { type: 'stopped', ...this.#stopped, ...code };
    }
    if (exitCode !== undefined) return { type: 'exited', exitCode };
    if (this.#problem !== undefined) return { type: 'not_started', reason: this.#problem };
    if ((await this.files.readStatus(this.nonce)) === undefined) {
      return { type: 'not_started', reason: 'its start could not be recorded' };
    }
    const signal = this.#killedBy === undefined ? {} : { signal: this.#killedBy };
    return { type: 'lost', reason: 'the process that records its exit was ended', ...signal };
  }

  async #stop(by: string): Promise<void> {
    if (this.pid === undefined) return;
    this.#stopped = { by, ...(await this.#processes.stop()) };
    this.#stopDone.resolve();
  }

  #marks(): ProcessMarks {
    // Searching all processes takes longer than a short command.
    const isRecent = !this.#stopping && performance.now() - this.#startedAt < RECENT_MS;
    const marker = `${MARK}=${this.nonce}`;
    return { leader: this.pid, marker, since: this.#since, isRecent };
  }
}
