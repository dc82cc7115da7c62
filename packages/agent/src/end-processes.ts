import type { Timers } from '@stoa/core';
import type { ProcessMarks } from './tools/shell/process-tree.js';
import { findProcesses, signal } from './tools/shell/process-tree.js';
import { within } from './within.js';

export interface EndingPorts {
  readonly timers: Timers;
  /** Resolves when the leader has ended. */
  readonly exited: Promise<unknown>;
  /** Whether the whole group gets SIGTERM, besides the processes with the mark. */
  readonly signalsGroup: boolean;
}

const GRACE_MS = 1_500;
const KILL_MS = 5_000;
const POLL_MS = 10;

/** Ends the processes with these marks: SIGTERM first, then SIGKILL. Returns whether any still runs. */
export async function endProcesses(
  marks: ProcessMarks & { readonly leader: number },
  { timers, exited, signalsGroup }: EndingPorts,
): Promise<boolean> {
  const found = await findProcesses(marks);
  if (!found) {
    signal(-marks.leader, 'SIGTERM');
    await within(timers, GRACE_MS, exited);
    signal(-marks.leader, 'SIGKILL');
    return false;
  }
  if (found.length > 0) {
    if (signalsGroup) signal(-marks.leader, 'SIGTERM');
    for (const { pid, isMarked } of found) if (isMarked) signal(pid, 'SIGTERM');
    await within(timers, GRACE_MS, exited);
  }
  return killProcesses(marks);
}

/** Kills until none is found: a process may start another during the search. Returns whether any still runs. */
export async function killProcesses(marks: ProcessMarks): Promise<boolean> {
  const deadline = performance.now() + KILL_MS;
  while (performance.now() < deadline) {
    const found = await findProcesses(marks);
    if (!found || found.length === 0) return false;
    for (const { pid } of found) signal(pid, 'SIGKILL');
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  return true;
}
