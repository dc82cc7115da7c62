import { setTimeout as sleep } from 'node:timers/promises';
import type { Surroundings } from './command-files.js';
import { findProcesses, type ProcessMarks, signal } from './process-tree.js';

const GRACE_MS = 200;
/** How long output may continue after the command has ended. */
const DRAIN_MS = 100;
const DEADLINE_MS = 5_000;
const POLL_MS = 10;

interface CommandProcessesPorts {
  readonly marks: () => ProcessMarks;
  /** Whether the wrapper ends within this time. */
  readonly isGoneWithin: (ms: number) => Promise<boolean>;
  readonly surroundings: Surroundings;
}

export interface Stopped {
  readonly signal: 'SIGTERM' | 'SIGKILL';
  /** A search found no process of it. */
  readonly isDead: boolean;
}

/**
 * Ends everything that a command started: sends SIGTERM, waits 200 ms, then kills processes until none is found.
 * Finds them by their group and their mark, so it needs no child handle.
 */
export class CommandProcesses {
  constructor(private readonly ports: CommandProcessesPorts) {}

  async stop(): Promise<Stopped> {
    await this.#terminate();
    if (await this.#diesWithin(GRACE_MS)) return { signal: 'SIGTERM', isDead: true };
    return { signal: 'SIGKILL', isDead: await this.#killAll() };
  }

  /** Ends the processes that a finished command left running; they may hold its output open. */
  async endLeftovers(): Promise<void> {
    const isDrained = await this.ports.isGoneWithin(DRAIN_MS);
    if (isDrained && this.ports.surroundings.leavesNothing) return;
    if (isDrained) await this.#kill(() => true);
    else await this.#killAll();
  }

  async isMarked(): Promise<boolean> {
    const found = await findProcesses({ ...this.ports.marks(), leader: undefined });
    return found !== undefined && found.length > 0;
  }

  /** Kills the command first, so that the wrapper can still record its output and exit code. */
  async #killAll(): Promise<boolean> {
    await this.#kill(({ isMarked }) => isMarked);
    await this.ports.isGoneWithin(DRAIN_MS);
    return this.#kill(() => true);
  }

  async #terminate(): Promise<void> {
    const marks = this.ports.marks();
    const found = await findProcesses(marks);
    const maySignalGroup = this.ports.surroundings.signalsGroup || found === undefined;
    const signalsGroup = maySignalGroup && marks.leader !== undefined;
    if (signalsGroup) signal(-marks.leader, 'SIGTERM');
    // No process gets SIGTERM twice: its handler may not be prepared for that.
    for (const { pid, isInGroup, isMarked } of found ?? []) {
      if (isMarked && !(signalsGroup && isInGroup)) signal(pid, 'SIGTERM');
    }
  }

  /** The wrapper may end before the processes it started. All of them share this time. */
  async #diesWithin(ms: number): Promise<boolean> {
    const deadline = performance.now() + ms;
    if (!(await this.ports.isGoneWithin(ms))) return false;
    for (;;) {
      const found = await findProcesses(this.ports.marks());
      if (found === undefined || found.length === 0) return true;
      if (performance.now() > deadline) return false;
      await sleep(POLL_MS);
    }
  }

  /** Kills until none is left: a process may start another one during the search. */
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
      // The leader last: while it lives, the group id cannot belong to other processes.
      const others = left.filter(({ pid }) => pid !== marks.leader);
      for (const { pid } of others.length > 0 ? others : left) signal(pid, 'SIGKILL');
      await sleep(POLL_MS);
    }
  }
}
