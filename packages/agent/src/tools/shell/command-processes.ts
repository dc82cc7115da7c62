import type { Surroundings } from './command-files.js';
import type { ProcessMarks } from './found-process.js';
import { findProcesses, signal } from './process-tree.js';

const GRACE_MS = 200;
/** How long output may take to end by itself after the command has. */
const DRAIN_MS = 100;
const DEADLINE_MS = 5_000;
const LOOK_MS = 10;

export interface CommandProcessesPorts {
  readonly marks: () => ProcessMarks;
  /** Whether the wrapper has ended within so many milliseconds. */
  readonly isGoneWithin: (ms: number) => Promise<boolean>;
  readonly surroundings: Surroundings;
}

export interface Stopped {
  readonly signal: 'SIGTERM' | 'SIGKILL';
  /** No process of it is left, which was looked for. */
  readonly isDead: boolean;
}

/**
 * Ends everything a command started: asks it, waits 200 ms, kills what is left until nothing is found.
 * It is found by its group and by its mark, and no child handle is needed.
 */
export class CommandProcesses {
  constructor(private readonly ports: CommandProcessesPorts) {}

  async stop(): Promise<Stopped> {
    await this.#terminate();
    if (await this.#diesWithin(GRACE_MS)) return { signal: 'SIGTERM', isDead: true };
    return { signal: 'SIGKILL', isDead: await this.#killAll() };
  }

  /** The command is over; what it left running is nobody's any more, and may hold the output open. */
  async endLeftovers(): Promise<void> {
    const isDrained = await this.ports.isGoneWithin(DRAIN_MS);
    if (isDrained && this.ports.surroundings.leavesNothing) return;
    if (isDrained) await this.#kill(() => true);
    else await this.#killAll();
  }

  /** Whether any process carries its mark. */
  async isMarked(): Promise<boolean> {
    const found = await findProcesses({ ...this.ports.marks(), leader: undefined });
    return found !== undefined && found.length > 0;
  }

  /** First the command only, so that its output and its exit status are still written down. */
  async #killAll(): Promise<boolean> {
    await this.#kill(({ isMarked }) => isMarked);
    await this.ports.isGoneWithin(DRAIN_MS);
    return this.#kill(() => true);
  }

  async #terminate(): Promise<void> {
    const marks = this.ports.marks();
    const found = await findProcesses(marks);
    const mayTellGroup = this.ports.surroundings.isGroupTold || found === undefined;
    const isGroupTold = mayTellGroup && marks.leader !== undefined;
    if (isGroupTold) signal(-marks.leader, 'SIGTERM');
    // Nobody is told twice: what it does when it is told may not be fit for that.
    for (const { pid, isInGroup, isMarked } of found ?? []) {
      if (isMarked && !(isGroupTold && isInGroup)) signal(pid, 'SIGTERM');
    }
  }

  /** The wrapper may be gone before the last of what it started is: all of it has the same time. */
  async #diesWithin(ms: number): Promise<boolean> {
    const deadline = performance.now() + ms;
    if (!(await this.ports.isGoneWithin(ms))) return false;
    for (;;) {
      const found = await findProcesses(this.ports.marks());
      if (found === undefined || found.length === 0) return true;
      if (performance.now() > deadline) return false;
      await pause(LOOK_MS);
    }
  }

  /** Kills until none is left: a process may have started another while it was looked for. */
  async #kill(which: (found: { readonly isMarked: boolean }) => boolean): Promise<boolean> {
    const deadline = performance.now() + DEADLINE_MS;
    for (;;) {
      const marks = this.ports.marks();
      const found = await findProcesses(marks);
      if (!found) {
        if (marks.leader !== undefined) signal(-marks.leader, 'SIGKILL');
        return true;
      }
      const left = found.filter(which);
      if (left.length === 0) return true;
      if (performance.now() > deadline) return false;
      // The leader last: as long as it is there, its group is surely its own.
      const others = left.filter(({ pid }) => pid !== marks.leader);
      for (const { pid } of others.length > 0 ? others : left) signal(pid, 'SIGKILL');
      await pause(LOOK_MS);
    }
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
