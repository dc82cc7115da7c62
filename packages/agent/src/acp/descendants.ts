import fs from 'node:fs';
import { hasMarker, listProcesses, START_TIME, statOf } from '../tools/shell/process-tree.js';

/** A running process that an agent program started. */
export interface Descendant {
  readonly pid: number;
  readonly parent: number;
  /** In clock ticks since the system started. */
  readonly startedAt: number;
}

const BATCH = 100;
const TICKS_PER_SECOND = 100;
const PARENT = 1;

/**
 * The running descendants of a process, and the processes whose environment contains the mark (`NAME=value`): a program may
 * clear the environment of its children, and these may detach from it. Empty if the system has no `/proc`.
 */
export async function descendantsOf({
  leader,
  mark,
}: {
  readonly leader: number;
  readonly mark: string;
}): Promise<Descendant[]> {
  const all = new Map<number, Descendant>();
  for (const [index, pid] of (listProcesses() ?? []).entries()) {
    if (index % BATCH === BATCH - 1) await new Promise((resolve) => setImmediate(resolve));
    const one = readProcess(pid);
    if (one) all.set(pid, one);
  }
  const isDescendant = (pid: number, depth = 0): boolean => {
    const parent = all.get(pid)?.parent ?? 0;
    return parent === leader || (depth < all.size && parent > 1 && isDescendant(parent, depth + 1));
  };
  const since = all.get(leader)?.startedAt ?? 0;
  return [...all.values()].filter(
    ({ pid, startedAt }) =>
      pid !== leader && startedAt >= since && (isDescendant(pid) || hasMarker(pid, mark)),
  );
}

/** The command line of a process; empty if it has ended. */
export function commandLineOf(pid: number): string {
  try {
    return fs
      .readFileSync(`/proc/${String(pid)}/cmdline`, 'utf8')
      .replaceAll('\0', ' ')
      .trim();
  } catch {
    return '';
  }
}

/** The current time in the clock of `startedAt`; undefined if the system has no `/proc`. */
export function bootTicks(): number | undefined {
  try {
    const [seconds] = fs.readFileSync('/proc/uptime', 'latin1').split(' ');
    return Math.floor(Number(seconds) * TICKS_PER_SECOND);
  } catch {
    return undefined;
  }
}

function readProcess(pid: number): Descendant | undefined {
  const fields = statOf(pid);
  return fields && { pid, parent: Number(fields[PARENT]), startedAt: Number(fields[START_TIME]) };
}
