import { execFile, execFileSync, type StdioOptions } from 'node:child_process';
import fs from 'node:fs';

/** The variable that every process of a command has, unless it cleared its environment. */
export const MARK = 'STOA_TASK';

/** How the processes of one command are recognised. */
export interface ProcessMarks {
  /** The process that leads their session and group; undefined if another process may have its id by now. */
  readonly leader: number | undefined;
  /** `NAME=value` in the environment of each of them, including those that left the group. */
  readonly marker: string;
  /** When the first of them started, if known: the environment of older processes is not read. */
  readonly since?: number | undefined;
  /** They started a moment ago: process ids have not wrapped around, so only later ids are checked. */
  readonly isRecent?: boolean;
}

export interface FoundProcess {
  readonly pid: number;
  /** Whether a signal to the leader's group reaches it. */
  readonly isInGroup: boolean;
  readonly isMarked: boolean;
}

const IS_MACOS = process.platform === 'darwin';

/** Reading /proc is quick but blocks, so other work runs after each batch. */
const BATCH = 100;
/** Listing all processes is not slower than checking this many ids. */
const MAX_RECENT_IDS = 1_000;
/** The field of /proc/PID/stat with the start time, in clock ticks since the system started. */
export const START_TIME = 19;

/**
 * The living processes of a command: those of its session and group, and those that have its mark.
 * Undefined if the system cannot list processes.
 */
export async function findProcesses(marks: ProcessMarks): Promise<FoundProcess[] | undefined> {
  if (IS_MACOS) return macosProcesses(marks);
  const { leader, isRecent } = marks;
  const recent = isRecent === true && leader !== undefined ? idsSince(leader) : undefined;
  const pids = recent ?? listProcesses();
  if (!pids) return undefined;
  const found: FoundProcess[] = [];
  for (const [index, pid] of pids.entries()) {
    if (index % BATCH === BATCH - 1) await new Promise((resolve) => setImmediate(resolve));
    const one = inspect(pid, marks);
    if (one) found.push(one);
  }
  return found;
}

/** Undefined if the system has no /proc. */
export function listProcesses(): number[] | undefined {
  try {
    const names = fs.readdirSync('/proc');
    return names.includes('self')
      ? names.filter((name) => /^\d+$/.test(name)).map(Number)
      : undefined;
  } catch {
    return undefined;
  }
}

/** Every process id assigned since this one; undefined if that is unknown or too many. */
function idsSince(first: number): number[] | undefined {
  try {
    const last = Number(fs.readFileSync('/proc/loadavg', 'latin1').trim().split(' ').at(-1));
    const count = last - first + 1;
    if (!(count > 0 && count < MAX_RECENT_IDS)) return undefined;
    return Array.from({ length: count }, (_, index) => first + index);
  } catch {
    return undefined;
  }
}

function inspect(pid: number, { leader, marker, since }: ProcessMarks): FoundProcess | undefined {
  const fields = statOf(pid);
  if (!fields) return undefined;
  const [, , group, session] = fields;
  const isInGroup = leader !== undefined && Number(group) === leader;
  const isMember = isInGroup || (leader !== undefined && Number(session) === leader);
  const isOlder = since !== undefined && Number(fields[START_TIME]) < since;
  const isMarked = !isOlder && hasMarker(pid, marker);
  return isMember || isMarked ? { pid, isInGroup, isMarked } : undefined;
}

export function hasMarker(pid: number, marker: string): boolean {
  try {
    const environment = fs.readFileSync(`/proc/${pid}/environ`, 'latin1');
    return `\0${environment}`.includes(`\0${marker}\0`);
  } catch {
    // It has just ended, or it belongs to another user, as no process of a command does.
    return false;
  }
}

/** When a process started, in the clock of its boot; undefined if there is no such process. */
export function startTimeOf(pid: number): string | undefined {
  return IS_MACOS ? macosStartTime(pid) : statOf(pid)?.[START_TIME];
}

let boot: Promise<string | undefined> | undefined;

/** Identifies the current boot of the system. Process ids are unique only within a boot. */
export function bootId(): Promise<string | undefined> {
  boot ??= IS_MACOS
    ? output('/usr/sbin/sysctl', ['-n', 'kern.boottime']).then((text) => text?.trim())
    : fs.promises.readFile('/proc/sys/kernel/random/boot_id', 'utf8').then(
        (text) => text.trim(),
        () => undefined,
      );
  return boot;
}

/**
 * The fields of /proc/PID/stat after the name, which may itself contain spaces and parentheses: state,
 * parent, group, session, … Undefined if the process is dead, even if nobody has waited for it yet.
 */
export function statOf(pid: number): string[] | undefined {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields;
  } catch {
    return undefined;
  }
}

/**
 * Sends a signal. A process that is gone is not a failure, nor is one of another user (as with `sudo`): the
 * caller finds it again when it checks which processes are left.
 */
export function signal(pid: number, name: NodeJS.Signals): void {
  if (!(Math.abs(pid) > 1))
    throw new RangeError(`${String(pid)} is not the process id of a command`);
  try {
    process.kill(pid, name);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
}

async function macosProcesses(marks: ProcessMarks): Promise<FoundProcess[] | undefined> {
  // With `-E` and `-ww`, ps prints the environment after the arguments, for processes of the same user.
  const listed = await output('/bin/ps', ['-axEww', '-o', 'pid=,pgid=,stat=,command=']);
  return listed === undefined ? undefined : processesIn(listed, marks);
}

const PS_LINE = /^\s*(\d+)\s+(\d+)\s+(\S+)\s(.*)$/;

/** Reads what `ps` prints on macOS: lines of pid, group, state, and command with its environment. */
export function processesIn(listed: string, { leader, marker }: ProcessMarks): FoundProcess[] {
  return listed.split('\n').flatMap((line) => {
    const [, pid, group, state = '', rest = ''] = PS_LINE.exec(line) ?? [];
    if (pid === undefined || state.startsWith('Z')) return [];
    const isMarked = ` ${rest} `.includes(` ${marker} `);
    const isInGroup = leader !== undefined && Number(group) === leader;
    return isInGroup || isMarked ? [{ pid: Number(pid), isInGroup, isMarked }] : [];
  });
}

function macosStartTime(pid: number): string | undefined {
  try {
    const args = ['-o', 'lstart=', '-p', String(pid)];
    const stdio: StdioOptions = ['ignore', 'pipe', 'ignore'];
    return execFileSync('/bin/ps', args, { encoding: 'utf8', stdio }).trim() || undefined;
  } catch {
    return undefined;
  }
}

function output(program: string, args: readonly string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(program, args, { maxBuffer: 64 * 1024 * 1024 }, (error, stdout) => {
      resolve(error ? undefined : stdout);
    });
  });
}
