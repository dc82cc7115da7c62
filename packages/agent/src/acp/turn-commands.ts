import type { Timers } from '@stoa/core';
import { signal } from '../tools/shell/process-tree.js';
import { bootTicks, commandLineOf, type Relative } from './process-family.js';

export interface TurnCommandsPorts {
  readonly timers: Timers;
  readonly family: () => Promise<readonly Relative[]>;
  /** Whether the program serves another turn, or opened another session since this one began. */
  readonly isShared: () => boolean;
}

const GRACE_MS = 500;
const LOOK_MS = 50;
const LOOKS = 20;

/**
 * The commands that a program runs in one turn, so that they can be ended when the turn is cancelled: some
 * programs go on with them. A process counts as one of them when its command line belongs to a command of
 * the turn, or comes from one that does. Where the program does nothing else meanwhile, everything that it
 * started since the first command of this turn counts.
 */
export class TurnCommands {
  readonly #since = bootTicks();
  readonly #commands = new Set<string>();
  #firstAt: number | undefined;

  constructor(private readonly ports: TurnCommandsPorts) {}

  /** A command is about to run, or does. */
  begin(commands: readonly string[]): void {
    this.#firstAt ??= bootTicks();
    for (const command of commands) this.#commands.add(bare(command));
  }

  /** Ends what is left of them. Tells how many processes did not end. */
  async end(): Promise<number> {
    if (this.#firstAt === undefined) return 0;
    let left = await this.#left();
    if (left.length === 0) return 0;
    for (const { pid } of left) signal(pid, 'SIGTERM');
    for (let waited = 0; waited < GRACE_MS && left.length > 0; waited += LOOK_MS) {
      await this.#pause();
      left = await this.#left();
    }
    for (let looks = 0; looks < LOOKS && left.length > 0; looks++) {
      for (const { pid } of left) signal(pid, 'SIGKILL');
      await this.#pause();
      left = await this.#left();
    }
    return left.length;
  }

  async #left(): Promise<readonly Relative[]> {
    const family = await this.ports.family();
    const since = this.#since ?? 0;
    const young = family.filter(({ startedAt }) => startedAt >= since);
    const isShared = this.ports.isShared();
    const firstAt = this.#firstAt ?? Number.POSITIVE_INFINITY;
    const ends = new Set(
      young
        .filter(({ pid, startedAt }) => (!isShared && startedAt >= firstAt) || this.#isCommand(pid))
        .map(({ pid }) => pid),
    );
    for (let size = -1; size !== ends.size; ) {
      size = ends.size;
      for (const { pid, parent } of young) if (ends.has(parent)) ends.add(pid);
    }
    return young.filter(({ pid }) => ends.has(pid));
  }

  #isCommand(pid: number): boolean {
    const line = bare(commandLineOf(pid));
    if (line === '') return false;
    return [...this.#commands].some(
      (command) =>
        command.length >= LEAST_CHARS && (line.includes(command) || isPartOf(line, command)),
    );
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      this.ports.timers.after(LOOK_MS, resolve);
    });
  }
}

/** Shorter ones are part of too many command lines. */
const LEAST_CHARS = 4;

const isPartOf = (line: string, command: string): boolean =>
  line.length >= LEAST_CHARS && command.includes(line);

/** Programs quote a command for the shell that they give it to. */
const bare = (text: string): string => text.replaceAll(/[\s'"\\]/g, '');
