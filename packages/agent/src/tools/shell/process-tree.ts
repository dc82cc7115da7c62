import fs from 'node:fs';
import type { FoundProcess, ProcessMarks } from './found-process.js';
import { macosBootId, macosProcesses, macosStartTime } from './macos-processes.js';

const IS_MACOS = process.platform === 'darwin';

/** Reading is quick but blocks, and there may be thousands: others get their turn in between. */
const BATCH = 100;

/**
 * The living processes of a command: those of its session and group, and those that carry its mark.
 * Undefined where the system does not tell.
 */
export async function findProcesses(marks: ProcessMarks): Promise<FoundProcess[] | undefined> {
  if (IS_MACOS) return macosProcesses(marks);
  const { leader, isRecent } = marks;
  const recent = isRecent === true && leader !== undefined ? numbersSince(leader) : undefined;
  const pids = recent ?? listProcesses();
  if (!pids) return undefined;
  const found: FoundProcess[] = [];
  for (const [index, pid] of pids.entries()) {
    if (index % BATCH === BATCH - 1) await new Promise((resolve) => setImmediate(resolve));
    const one = look(pid, marks);
    if (one) found.push(one);
  }
  return found;
}

function listProcesses(): number[] | undefined {
  try {
    const names = fs.readdirSync('/proc');
    return names.includes('self')
      ? names.filter((name) => /^\d+$/.test(name)).map(Number)
      : undefined;
  } catch {
    return undefined;
  }
}

/** Every number given out since this one; undefined when there is no telling. */
function numbersSince(first: number): number[] | undefined {
  try {
    const last = Number(fs.readFileSync('/proc/loadavg', 'latin1').trim().split(' ').at(-1));
    const count = last - first + 1;
    if (!(count > 0 && count < MANY)) return undefined;
    return Array.from({ length: count }, (_, index) => first + index);
  } catch {
    return undefined;
  }
}

/** From here on listing all processes is no slower. */
const MANY = 1_000;

function look(pid: number, { leader, marker, since }: ProcessMarks): FoundProcess | undefined {
  const fields = statOf(pid);
  if (!fields) return undefined;
  const [, , group, session] = fields;
  const isInGroup = leader !== undefined && Number(group) === leader;
  const isMember = isInGroup || (leader !== undefined && Number(session) === leader);
  const isOlder = since !== undefined && Number(fields[START_TIME]) < since;
  const isMarked = !isOlder && carries(pid, marker);
  return isMember || isMarked ? { pid, isInGroup, isMarked } : undefined;
}

function carries(pid: number, marker: string): boolean {
  try {
    const environment = fs.readFileSync(`/proc/${pid}/environ`, 'latin1');
    return `\0${environment}`.includes(`\0${marker}\0`);
  } catch {
    // Another user's, which nothing of ours becomes; or it ended just now.
    return false;
  }
}

/** When a process began, in the clock of its boot; undefined when there is none. */
export function startTimeOf(pid: number): string | undefined {
  return IS_MACOS ? macosStartTime(pid) : statOf(pid)?.[START_TIME];
}

let boot: Promise<string | undefined> | undefined;

/** Which start of the system this is: numbers of processes begin anew with each. */
export function bootId(): Promise<string | undefined> {
  boot ??= IS_MACOS
    ? macosBootId()
    : fs.promises.readFile('/proc/sys/kernel/random/boot_id', 'utf8').then(
        (text) => text.trim(),
        () => undefined,
      );
  return boot;
}

const START_TIME = 19;

/**
 * What the system says of a living process, after its name, which may itself hold spaces and
 * parentheses: state, parent, group, session, …
 */
function statOf(pid: number): string[] | undefined {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // A dead process that nobody has waited for yet is dead.
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields;
  } catch {
    return undefined;
  }
}

/**
 * Sends a signal; that there is nobody to take it is no failure. Nor is it one that somebody is another user's,
 * as what `sudo` runs is: who looks again finds it still there, and says so.
 */
export function signal(pid: number, name: NodeJS.Signals): void {
  if (!(Math.abs(pid) > 1)) throw new RangeError(`${String(pid)} is the number of no command`);
  try {
    process.kill(pid, name);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
}
