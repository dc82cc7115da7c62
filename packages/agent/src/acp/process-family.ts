import fs from 'node:fs';

/** A living process of an agent program. */
export interface Relative {
  readonly pid: number;
  readonly parent: number;
  /** In the clock of its boot, in ticks. */
  readonly startedAt: number;
}

interface Family {
  /** The process that all others come from. */
  readonly leader: number;
  /** `NAME=value` in the environment of those that left their parents. */
  readonly mark: string;
}

const BATCH = 100;
const TICKS_PER_SECOND = 100;
const PARENT = 1;
const START_TIME = 19;

/**
 * The living processes below the leader, and those with the mark that were adopted by another: a program
 * may clear the environment of what it starts, and what it starts may leave it. Empty where the system
 * does not tell.
 */
export async function familyOf({ leader, mark }: Family): Promise<Relative[]> {
  const all = new Map<number, Relative>();
  for (const [index, pid] of processIds().entries()) {
    if (index % BATCH === BATCH - 1) await new Promise((resolve) => setImmediate(resolve));
    const one = look(pid);
    if (one) all.set(pid, one);
  }
  const isBelow = (pid: number, depth = 0): boolean => {
    const parent = all.get(pid)?.parent ?? 0;
    return parent === leader || (depth < all.size && parent > 1 && isBelow(parent, depth + 1));
  };
  const since = all.get(leader)?.startedAt ?? 0;
  return [...all.values()].filter(
    ({ pid, startedAt }) =>
      pid !== leader && startedAt >= since && (isBelow(pid) || carries(pid, mark)),
  );
}

/** The command line of a process; empty when it is gone. */
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

/** Now, in the clock in which processes start; undefined where the system does not tell. */
export function bootTicks(): number | undefined {
  try {
    const [seconds] = fs.readFileSync('/proc/uptime', 'latin1').split(' ');
    return Math.floor(Number(seconds) * TICKS_PER_SECOND);
  } catch {
    return undefined;
  }
}

function processIds(): number[] {
  try {
    return fs
      .readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

function look(pid: number): Relative | undefined {
  try {
    const stat = fs.readFileSync(`/proc/${String(pid)}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
    return { pid, parent: Number(fields[PARENT]), startedAt: Number(fields[START_TIME]) };
  } catch {
    return undefined;
  }
}

function carries(pid: number, mark: string): boolean {
  try {
    return `\0${fs.readFileSync(`/proc/${String(pid)}/environ`, 'latin1')}`.includes(`\0${mark}\0`);
  } catch {
    return false;
  }
}
