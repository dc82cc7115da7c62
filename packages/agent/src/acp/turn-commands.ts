import type { Timers } from '@stoa/core';
import { signal } from '../tools/shell/process-tree.js';
import { bootTicks, commandLineOf, type Descendant } from './descendants.js';

export interface TurnCommandsPorts {
  readonly timers: Timers;
  /** The running processes of the program. */
  readonly processes: () => Promise<readonly Descendant[]>;
  /** Whether the program has another open turn, or opened another session since this turn began. */
  readonly isShared: () => boolean;
}

const GRACE_MS = 500;
const POLL_MS = 50;
const MAX_KILLS = 20;

/**
 * Ends the commands of a turn when it is cancelled, because some programs let them run. A process belongs to the turn if
 * its command line matches a command of the turn, or if its parent belongs to it. If the program has no other
 * turn meanwhile, all processes since the first command of this turn belong to it.
 */
export class TurnCommands {
  readonly #since = bootTicks();
  readonly #commands = new Set<string>();
  #firstAt: number | undefined;

  constructor(private readonly ports: TurnCommandsPorts) {}

  /** Records commands that start now. */
  begin(commands: readonly string[]): void {
    this.#firstAt ??= bootTicks();
    for (const command of commands) this.#commands.add(withoutQuotes(command));
  }

  /** Returns how many processes still run. */
  async end(): Promise<number> {
    if (this.#firstAt === undefined) return 0;
    let running = await this.#running();
    if (running.length === 0) return 0;
    for (const { pid } of running) signal(pid, 'SIGTERM');
    for (let waited = 0; waited < GRACE_MS && running.length > 0; waited += POLL_MS) {
      await this.#pause();
      running = await this.#running();
    }
    for (let kills = 0; kills < MAX_KILLS && running.length > 0; kills++) {
      for (const { pid } of running) signal(pid, 'SIGKILL');
      await this.#pause();
      running = await this.#running();
    }
    return running.length;
  }

  async #running(): Promise<readonly Descendant[]> {
    const all = await this.ports.processes();
    const since = this.#since ?? 0;
    const recent = all.filter(({ startedAt }) => startedAt >= since);
    const isShared = this.ports.isShared();
    const firstAt = this.#firstAt ?? Number.POSITIVE_INFINITY;
    const matching = new Set(
      recent
        .filter(({ pid, startedAt }) => (!isShared && startedAt >= firstAt) || this.#isCommand(pid))
        .map(({ pid }) => pid),
    );
    for (let size = -1; size !== matching.size; ) {
      size = matching.size;
      for (const { pid, parent } of recent) if (matching.has(parent)) matching.add(pid);
    }
    return recent.filter(({ pid }) => matching.has(pid));
  }

  #isCommand(pid: number): boolean {
    const line = withoutQuotes(commandLineOf(pid));
    if (line === '') return false;
    return [...this.#commands].some(
      (command) =>
        command.length >= MIN_CHARS && (line.includes(command) || isPartOf(line, command)),
    );
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      this.ports.timers.after(POLL_MS, resolve);
    });
  }
}

/** A shorter text occurs in too many command lines. */
const MIN_CHARS = 4;

const isPartOf = (line: string, command: string): boolean =>
  line.length >= MIN_CHARS && command.includes(line);

/** Without spaces and quotes, which programs add when they pass a command to a shell. */
const withoutQuotes = (text: string): string => text.replaceAll(/[\s'"\\]/g, '');
