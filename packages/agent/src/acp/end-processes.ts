import type { Timers } from '@stoa/core';
import type { ProcessMarks } from '../tools/shell/found-process.js';
import { findProcesses, signal } from '../tools/shell/process-tree.js';
import { within } from './within.js';

export interface EndingPorts {
  readonly timers: Timers;
  /** Resolves when their leader has ended. */
  readonly exited: Promise<unknown>;
  /** Whether the group is asked to terminate as a whole. */
  readonly isGroupTold: boolean;
}

const GRACE_MS = 1_500;
const LOOK_MS = 10;
const LOOKS = 500;

/** Ends the processes with these marks: asks them to, and kills what is left. Tells whether any is. */
export async function endProcesses(
  marks: ProcessMarks & { readonly leader: number },
  ports: EndingPorts,
): Promise<boolean> {
  const found = await findProcesses(marks);
  if (!found) {
    signal(-marks.leader, 'SIGTERM');
    await within(ports.timers, GRACE_MS, ports.exited);
    signal(-marks.leader, 'SIGKILL');
    return false;
  }
  if (found.length > 0) {
    if (ports.isGroupTold) signal(-marks.leader, 'SIGTERM');
    for (const { pid, isMarked } of found) if (isMarked) signal(pid, 'SIGTERM');
    await within(ports.timers, GRACE_MS, ports.exited);
  }
  // One of them may have started another while it was looked for.
  for (let looks = 0; looks < LOOKS; looks++) {
    const left = await findProcesses(marks);
    if (!left || left.length === 0) return false;
    for (const { pid } of left) signal(pid, 'SIGKILL');
    await new Promise<void>((resolve) => {
      ports.timers.after(LOOK_MS, resolve);
    });
  }
  return true;
}
